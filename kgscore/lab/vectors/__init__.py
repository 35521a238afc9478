"""Training and evaluation of the word vectors, and similarity in meaning."""
