"""Entailment of statements by a report, and contradictions within a report."""
