"""Room for one more running twin: others are waited for or put to sleep, watched ones never."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from web.client import ClientError


def test_many_copies_at_once_all_find_room(serve):
    server = serve(spares=0, most_twins=3)
    with server.client() as client:
        client.digest("default")
        client.http.timeout = 120

        def copy(number):
            return client.fork("default", set={"line.bandwidth_gbps": 5 + number})["id"]

        with ThreadPoolExecutor(10) as pool:
            copies = list(pool.map(copy, range(10)))
        statuses = [client.twin(name)["status"] for name in copies]
        assert statuses.count("asleep") >= 7
        assert client.health()["twins"] <= 3
        logs = [client.log(name)[0]["value"] for name in copies]
        assert logs == [5 + number for number in range(10)]
        with client.live(copies[0]) as one, client.live(copies[1]) as two, client.live() as three:
            for viewer in (one, two, three):
                viewer.until("hello")
            with pytest.raises(ClientError, match="all 3 twins that may run are being watched"):
                client.fork("default")
    server.stop()
