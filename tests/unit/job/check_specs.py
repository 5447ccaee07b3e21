"""Compares job specs with their schema: SCHEMA SPECS. A line of SPECS is {"name", "fits", "spec"}.

Prints "ok" if exactly the specs with "fits" fit.
"""

import json
import sys

import jsonschema

with open(sys.argv[1], encoding="utf-8") as file:
    schema = json.load(file)
jsonschema.Draft202012Validator.check_schema(schema)
validator = jsonschema.Draft202012Validator(schema)
wrong = 0
with open(sys.argv[2], encoding="utf-8") as file:
    for line in file:
        entry = json.loads(line)
        errors = [f"{error.json_path}: {error.message[:200]}"
                  for error in validator.iter_errors(entry["spec"])]
        if (not errors) != entry["fits"]:
            wrong += 1
            print(entry["name"], "should fit: " + "; ".join(errors[:3]) if errors
                  else "should not fit")
print("ok" if wrong == 0 else f"{wrong} specs differ")
