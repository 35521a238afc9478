"""Composition of heads from the structure of one sentence: functions over values."""
