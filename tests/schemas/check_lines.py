"""Compares lines that commands printed with their schemas: SCHEMAS LINES.

SCHEMAS is the output of `dl-submit schema`. A line of LINES is {"command", "line"}. Prints
"COMMAND DOCUMENT" for each document that a command printed, sorted.
"""

import json
import sys

from schema_check import Schemas

with open(sys.argv[1], encoding="utf-8") as file:
    document = json.load(file)
schemas = Schemas(document, "#/$defs/")
found = set()
failed = False
with open(sys.argv[2], encoding="utf-8") as file:
    for text in file:
        entry = json.loads(text)
        command = entry["command"]
        try:
            found.add((command, schemas.document_of(entry["line"], schemas.definitions[command])))
        except AssertionError as error:
            failed = True
            print(f"{command}: {error}", file=sys.stderr)
for command, name in sorted(found):
    print(command, name)
sys.exit(1 if failed else 0)
