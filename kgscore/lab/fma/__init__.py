"""Import of an anatomy module from the user's own copy of the FMA."""
