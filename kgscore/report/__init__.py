"""What people read: explanations and tables."""
