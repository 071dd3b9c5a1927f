"""Captured loops: trace once, run ahead, tell why."""
