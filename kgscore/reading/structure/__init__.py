"""The relations between the items of one sentence: the values, the typed sentence, and the trained model that predicts them."""
