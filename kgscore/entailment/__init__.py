"""What a report says of a statement, and where a report contradicts itself."""
