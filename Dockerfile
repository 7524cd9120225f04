# The twin in one image: the API and the pages on one port, as a user without rights.
FROM python:3.13-slim AS build
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1 UV_NO_CACHE=1 UV_LINK_MODE=copy
WORKDIR /src
COPY requirements-build.lock requirements.lock ./
RUN python -m venv /opt/build \
 && /opt/build/bin/pip install --require-hashes -r requirements-build.lock \
 && python -m venv --without-pip /opt/pdd-twin \
 && /opt/build/bin/uv pip install --python /opt/pdd-twin/bin/python --require-hashes --compile-bytecode -r requirements.lock
COPY pyproject.toml README.md LICENSE ./
COPY twin twin
COPY db db
COPY web web
COPY scenarios scenarios
RUN /opt/build/bin/pip wheel --no-deps --no-build-isolation --no-index --wheel-dir /src/wheels . \
 && /opt/build/bin/uv pip install --python /opt/pdd-twin/bin/python --no-deps --offline --compile-bytecode /src/wheels/*.whl

FROM python:3.13-slim
RUN useradd --system --uid 10001 --home-dir /var/lib/pdd-twin --create-home twin
COPY --from=build /opt/pdd-twin /opt/pdd-twin
ENV PATH=/opt/pdd-twin/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    PDD_TWIN_HOST=0.0.0.0 \
    PDD_TWIN_PORT=8501 \
    PDD_TWIN_DATABASE=sqlite:////var/lib/pdd-twin/twin.sqlite3
WORKDIR /var/lib/pdd-twin
USER twin
VOLUME /var/lib/pdd-twin
EXPOSE 8501
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=4s --start-period=30s --retries=3 \
    CMD ["python", "-c", "import os, urllib.request as r; r.urlopen(f'http://127.0.0.1:{os.environ[\"PDD_TWIN_PORT\"]}/api/health', timeout=3)"]
CMD ["python", "-m", "web"]
