"""Training and measuring of the word vectors, and what is near in meaning."""
