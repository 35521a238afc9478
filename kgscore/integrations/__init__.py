"""kgscore inside other tools: `evaluate`-style compute, a torchmetrics Metric, a reward for reinforcement learning.

None of these tools is needed to import this package; each module states its requirements.
"""
