"""From the structure of one sentence to the heads of its findings: functions over values."""
