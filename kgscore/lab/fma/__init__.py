"""Import of the FMA from the user's own copy: an anatomy module."""
