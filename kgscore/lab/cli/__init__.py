"""The commands of the laboratory, registered as entry points `kgscore.commands`."""
