"""The first schema: scenarios, traces, runs, running twins."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "scenarios",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("name", sa.String(200), nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("digest", sa.String(200), nullable=False),
        sa.Column("content", sa.JSON, nullable=False),
        sa.Column("saved_at", sa.Double, nullable=False),
        sa.Column("deleted_at", sa.Double),
        sa.UniqueConstraint("name", "version", name="uq_scenarios_name"),
    )
    op.create_table(
        "traces",
        sa.Column("id", sa.String(200), primary_key=True),
        sa.Column("name", sa.String(200), nullable=False),
        sa.Column("format", sa.String(200), nullable=False),
        sa.Column("digest", sa.String(200), nullable=False),
        sa.Column("profile", sa.JSON, nullable=False),
        sa.Column("notes", sa.JSON, nullable=False),
        sa.Column("size_bytes", sa.BigInteger, nullable=False),
        sa.Column("saved_at", sa.Double, nullable=False),
    )
    op.create_table(
        "runs",
        sa.Column("id", sa.String(200), primary_key=True),
        sa.Column("kind", sa.String(200), nullable=False),
        sa.Column("status", sa.String(200), nullable=False),
        sa.Column("scenario_name", sa.String(200), nullable=False),
        sa.Column("identity", sa.String(200), nullable=False),
        sa.Column("asked", sa.JSON, nullable=False),
        sa.Column("created_at", sa.Double, nullable=False),
        sa.Column("finished_at", sa.Double),
        sa.Column("result", sa.JSON),
        sa.Column("error", sa.JSON),
    )
    op.create_index("ix_runs_status", "runs", ["status"])
    op.create_index("ix_runs_identity", "runs", ["identity"])
    op.create_table(
        "twins",
        sa.Column("id", sa.String(200), primary_key=True),
        sa.Column("title", sa.String(200), nullable=False),
        sa.Column("scenario_name", sa.String(200), nullable=False),
        sa.Column("baseline_name", sa.String(200)),
        sa.Column("seed", sa.BigInteger, nullable=False),
        sa.Column("origin", sa.String(200), nullable=False),
        sa.Column("pace", sa.Double, nullable=False),
        sa.Column("paused", sa.Boolean, nullable=False),
        sa.Column("t", sa.Double, nullable=False),
        sa.Column("entry", sa.Integer, nullable=False),
        sa.Column("created_at", sa.Double, nullable=False),
        sa.Column("seen_at", sa.Double, nullable=False),
        sa.Column("shared", sa.Boolean, nullable=False),
        sa.Column("kept", sa.Boolean, nullable=False),
        sa.Column("parent", sa.String(200)),
        sa.Column("forked_at_s", sa.Double),
    )
    _of_a_twin()
    op.create_table(
        "facts",
        sa.Column("name", sa.String(200), primary_key=True),
        sa.Column("value", sa.Text, nullable=False),
    )


def _of_a_twin() -> None:
    op.create_table(
        "log_entries",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("twin_id", sa.String(200), nullable=False),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("at_s", sa.Double, nullable=False),
        sa.Column("body", sa.JSON, nullable=False),
        sa.Column("made_at", sa.Double, nullable=False),
        sa.Column("undone_at", sa.Double),
        sa.ForeignKeyConstraint(
            ["twin_id"], ["twins.id"], name="fk_log_entries_twin_id", ondelete="CASCADE"
        ),
    )
    standing = sa.text("undone_at IS NULL")
    op.create_index(
        "uq_log_entries_standing",
        "log_entries",
        ["twin_id", "number"],
        unique=True,
        sqlite_where=standing,
        postgresql_where=standing,
    )
    op.create_table(
        "checkpoints",
        sa.Column("twin_id", sa.String(200), primary_key=True),
        sa.Column("at_s", sa.Double, primary_key=True),
        sa.Column("entry", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("state", sa.LargeBinary, nullable=False),
        sa.Column("made_at", sa.Double, nullable=False),
        sa.ForeignKeyConstraint(
            ["twin_id"], ["twins.id"], name="fk_checkpoints_twin_id", ondelete="CASCADE"
        ),
    )


def downgrade() -> None:
    for table in ("facts", "checkpoints", "log_entries", "twins", "runs", "traces", "scenarios"):
        op.drop_table(table)
