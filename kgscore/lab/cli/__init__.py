"""The commands of the laboratory, which the core finds by the entry points `kgscore.commands`."""
