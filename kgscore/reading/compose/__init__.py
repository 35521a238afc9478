"""Composition: from the items of one sentence to heads, what becomes findings once their places are known."""
