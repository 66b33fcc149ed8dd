"""Computes time per region and rank, and late senders, with pandas, from a flat table.

    pip install pandas pyarrow
    foldtrace convert TRACE run.parquet
    python pandas_recipe.py run.parquet
"""

import sys

import pandas as pd

columns = ["location", "rank", "position", "time", "kind", "name", "peer", "tag", "communicator", "mpi_name"]
events = pd.read_parquet(sys.argv[1], columns=columns)

# Calls. The depth of a call is the number of open regions; the n-th enter of a depth is matched with the
# n-th leave of that depth.
steps = events[events["kind"].isin(["enter", "leave"])].copy()
is_enter = steps["kind"] == "enter"
level = is_enter.map({True: 1, False: -1}).groupby(steps["location"]).cumsum()
steps["depth"] = level.where(is_enter, level + 1)
steps["nth"] = steps.groupby(["location", "depth", "kind"], observed=True).cumcount()
calls = steps[is_enter].merge(steps[~is_enter], on=["location", "depth", "nth"], suffixes=("", "_end"))
calls["duration"] = calls["time_end"] - calls["time"]

# Time per region and rank, including inner calls (total) and excluding them (own). The parent of a call is
# the last call before it that is one level further out.
outer = calls[["location", "depth", "position"]].assign(depth=calls["depth"] + 1)
outer = outer.rename(columns={"position": "parent"})
calls = pd.merge_asof(
    calls.sort_values("position"), outer.sort_values("parent"),
    left_on="position", right_on="parent", by=["location", "depth"], allow_exact_matches=False,
)
inner = calls.groupby(["location", "parent"])["duration"].sum().rename("inner")
calls = calls.merge(inner, left_on=["location", "position"], right_on=["location", "parent"], how="left")
calls["own"] = calls["duration"] - calls["inner"].fillna(0)
time = calls.groupby(["name", "rank"], observed=True).agg(
    calls=("duration", "size"), total_ms=("duration", "sum"), own_ms=("own", "sum"))
time[["total_ms", "own_ms"]] = (time[["total_ms", "own_ms"]] / 1e6).astype(float).round(3)
time = time.reset_index().rename(columns={"name": "region"}).astype({"region": str})
time = time.sort_values(["region", "rank"])
print("Time per region and rank")
print(time.to_string(index=False))

# Messages: the n-th send is matched with the n-th receive of the same sender, receiver, communicator and tag.
# `peer` is a rank of the communicator; for MPI_COMM_WORLD, it is the rank of the program.
key = ["sender", "receiver", "communicator", "tag"]
sends = events[events["kind"].isin(["mpi_send", "mpi_isend"])]
sends = sends.rename(columns={"rank": "sender", "peer": "receiver"})
receives = events[events["kind"].isin(["mpi_recv", "mpi_irecv"])]
receives = receives.rename(columns={"peer": "sender", "rank": "receiver"})
sends = sends.assign(nth=sends.groupby(key).cumcount())
receives = receives.assign(nth=receives.groupby(key).cumcount())
messages = sends.merge(receives, on=[*key, "nth"], suffixes=("_send", "_receive"))

# Late senders: the time from entering MPI_Recv to the send, if the send is later. It is at most the duration of
# the receive, because the clocks of processes may differ. The event of the receive is within the last MPI_Recv
# that was entered before it.
waits = calls[calls["mpi_name"] == "MPI_Recv"]
waits = waits[["location", "position", "time", "position_end", "duration"]]
messages = pd.merge_asof(
    messages.sort_values("position_receive"), waits.sort_values("position"),
    left_on="position_receive", right_on="position",
    left_by="location_receive", right_by="location", suffixes=("", "_enter"),
)
late = messages[
    (messages["position_receive"] <= messages["position_end"]) & (messages["time"] < messages["time_send"])]
late = late.assign(waited=(late["time_send"] - late["time"]).clip(upper=late["duration"]))
late = late.groupby(["receiver", "sender"])["waited"].agg(["size", "sum", "max"])
late[["sum", "max"]] = (late[["sum", "max"]] / 1e6).astype(float).round(3)
late.columns = ["late_messages", "waited_ms", "longest_ms"]
print("Late senders")
print(late.reset_index().to_string(index=False))
