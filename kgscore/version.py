"""The version of kgscore (defined only here)."""

__version__ = "0.2.0"
