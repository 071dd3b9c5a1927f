"""Random calls through the graph half and its live peer, AITune 0.6, side by side in one process.

    python -m parity.roam_graphs [--seed 1] [--count 500]      (in tests/; needs torch, tabulate and aitune)

Compared are descriptions of nested values at every level of detail, leaves and locators, what is learned and
made of batches, forward signatures, and recordings. What docs/graphs.md lists as different is left out.
`pip install --no-deps aitune==0.6.0` and `pip install nvtx psutil dill wrapt autowrapt nvidia-ml-py pandas` bring
the peer; what it wants beyond that is for GPUs, and stood in for (bench/aitune_on_cpu.py).
"""
