"""A slow viewer gets the latest frame, loses no sample, and holds up nobody."""

from __future__ import annotations

import asyncio
import json

import pytest

from web.api import viewers
from web.api.viewers import Gone, Viewer, joined, with_missed


def frame(t, **more):
    return json.dumps({"type": "frame", "t": t, **more})


def course(*times):
    return {"time_s": list(times), "values": {"line_gbps": [10.0 * t for t in times]}}


def sent_by(viewer, moments=5):
    """What the viewer is sent within a few turns of the loop."""
    sent = []

    async def run():
        async def send(text):
            sent.append(json.loads(text))

        task = asyncio.create_task(viewer.serve(send))
        for _ in range(moments):
            await asyncio.sleep(0)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    asyncio.run(run())
    return sent


def ready():
    viewer = Viewer()
    viewer.ready = True
    return viewer


def test_only_the_latest_frame_is_sent():
    viewer = ready()
    for t in range(5):
        viewer.show(frame(t), carries=False)
    assert [one["t"] for one in sent_by(viewer)] == [4]


def test_messages_are_all_sent_in_order_before_the_frame():
    viewer = ready()
    viewer.show(frame(1), carries=False)
    for n in range(3):
        viewer.tell(json.dumps({"type": "turned", "id": n}))
    assert [one.get("id", "frame") for one in sent_by(viewer)] == [0, 1, 2, "frame"]


def test_samples_of_missed_frames_are_not_lost():
    viewer = ready()
    viewer.show(frame(1, tiles={"a": 1}, course=course(5)), carries=True)
    viewer.show(frame(2), carries=False)
    viewer.show(frame(3, course=course(10, 15), baseline_course=course(10, 15)), carries=True)
    (sent,) = sent_by(viewer)
    assert sent["t"] == 3
    assert sent["tiles"] == {"a": 1}
    assert sent["course"] == course(5, 10, 15)
    assert sent["baseline_course"] == course(10, 15)


def test_newer_tiles_replace_missed_ones():
    both = json.loads(with_missed(frame(2, tiles={"a": 2}), frame(1, tiles={"a": 1})))
    assert both["tiles"] == {"a": 2}


def test_a_viewer_who_takes_nothing_costs_a_bounded_memory():
    kept = course(0)
    for t in range(1, 5000):
        kept = joined(kept, course(t))
    assert len(kept["time_s"]) == viewers.MOST_SAMPLES
    assert kept["time_s"][-1] == 4999


def test_frames_before_the_whole_twin_has_been_told_are_dropped():
    viewer = Viewer()
    viewer.show(frame(1), carries=True)
    assert sent_by(viewer) == []


def test_a_frame_of_the_old_twin_is_dropped_on_a_move():
    viewer = ready()
    viewer.show(frame(1), carries=False)
    viewer.forget_look()
    assert sent_by(viewer) == []


def test_too_many_waiting_messages_mean_that_nobody_is_there():
    viewer = Viewer()
    for _ in range(viewers.MOST_WAITING + 1):
        viewer.tell("{}")
    with pytest.raises(Gone):
        asyncio.run(viewer.serve(_no_send))


async def _no_send(_):
    pass


def test_a_viewer_who_takes_nothing_for_long_is_gone(monkeypatch):
    monkeypatch.setattr(viewers, "PATIENCE_S", 0.01)

    async def never(_):
        await asyncio.sleep(60)

    viewer = Viewer()
    viewer.tell("{}")
    with pytest.raises(Gone):
        asyncio.run(viewer.serve(never))
