"""Django as an oracle of deletions.

Reads worlds as JSON, deletes the root of each with Django on SQLite, and writes the ends as JSON.
"""

import json
import sqlite3
import sys
import types

import django
from django.apps import AppConfig
from django.apps.registry import Apps
from django.conf import settings
from django.db import IntegrityError, connection, models

settings.configure(
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}},
    INSTALLED_APPS=[],
    USE_TZ=True,
)
django.setup()


class World(AppConfig):
    label, path = "world", "/"


def models_of(number, keys):
    """Makes the models of a world, in a registry of its own."""
    apps = Apps([World("world", types.ModuleType("world"))])
    made = {}
    for name, fields in keys.items():
        meta = type("Meta", (), {"app_label": "world", "apps": apps, "db_table": f"world{number}_{name}"})
        body = {"__module__": "world", "Meta": meta, "id": models.IntegerField(primary_key=True)}
        for to, action in fields.items():
            body["key_" + to] = models.ForeignKey(
                "world." + to,
                on_delete=getattr(models, action.removesuffix("_UNCHECKED")),
                null=True,
                related_name="+",
                db_constraint=not action.endswith("_UNCHECKED"),
            )
        made[name] = type(name, (models.Model,), body)
    with connection.schema_editor() as editor:
        for model in made.values():
            editor.create_model(model)
    return made


def populate(made, world):
    for model, number in world["rows"]:
        made[model].objects.create(id=number)
    for (model, number), (to, owner) in world["refs"]:
        made[model].objects.filter(id=number).update(**{f"key_{to}_id": owner})


def left(made, keys):
    """Lists the rows with their references, also with those that dangle."""
    rows = []
    for name, model in made.items():
        for row in model.objects.order_by("id"):
            refs = [[to, getattr(row, f"key_{to}_id")] for to in keys[name]]
            rows.append({"row": [name, row.id], "refs": [r for r in refs if r[1] is not None]})
    return rows


def end_of(number, world):
    made = models_of(number, world["keys"])
    populate(made, world)
    model, root = world["rows"][0]
    try:
        made[model].objects.get(id=root).delete()
        refused = ""
    except IntegrityError as error:  # ProtectedError and RestrictedError are of this type
        refused = type(error).__name__
    return {"refused": refused, "left": left(made, world["keys"])}


ends = [end_of(number, world) for number, world in enumerate(json.load(sys.stdin))]
json.dump({"versions": f"Django {django.__version__}, SQLite {sqlite3.sqlite_version}", "ends": ends}, sys.stdout)
