"""What belongs to what in one sentence: the values, the typed sentence, and the trained model that finds them."""
