"""What the reader learns from: marked sentences, written by hand (`corpus/GUIDE.md` says how)."""
