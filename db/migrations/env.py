"""Alembic's entry: brings the database of the given connection to the newest schema."""

from __future__ import annotations

from alembic import context


def run() -> None:
    """Migrate over the connection that `db.opening` hands over, in one transaction."""
    connection = context.config.attributes["connection"]
    context.configure(
        connection=connection,
        target_metadata=context.config.attributes["metadata"],
        transactional_ddl=True,
        render_as_batch=True,
    )
    context.run_migrations()


run()
