"""The profile in Hatchet, which needs versions of pandas and NumPy of its own."""

import pytest

import foldtrace


def test_the_profile_is_a_graph(trace: foldtrace.Trace) -> None:
    graph = trace.to_hatchet()
    frame = graph.dataframe
    assert list(graph.inc_metrics) == ["time (inc)"]
    by_region = frame.groupby("name")["time"].sum()
    expected = {region["name"]: region["exclusive"] / 1e9 for region in trace.profile().data["regions"]}
    assert dict(by_region) == pytest.approx(expected)
    assert len(graph.graph.roots) == len(trace.profile(tree=True).data["tree"])
    inside = graph.filter(lambda row: row["name"] == "MPI_Recv")
    assert list(inside.dataframe["calls"]) == [640]
