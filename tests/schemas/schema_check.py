"""Compares JSON with the schema of a document, by the reference implementation of JSON Schema."""

import jsonschema

# Schemas may use no other keywords: this is the part of JSON Schema that generators understand.
KEYWORDS = {"$defs", "$ref", "$schema", "additionalProperties", "anyOf", "const", "description",
            "enum", "items", "minimum", "pattern", "patternProperties", "properties", "required",
            "title", "type"}


class Schemas:
    """The definitions in a document, at a path such as "#/$defs/"."""

    def __init__(self, document, path):
        self.path = path
        self.root = {}
        definitions = document
        inner = self.root
        parts = path.strip("#/").split("/")
        for part in parts:
            definitions = definitions[part]
        for part in parts[:-1]:
            inner = inner.setdefault(part, {})
        inner[parts[-1]] = definitions
        self.definitions = definitions
        for name, schema in definitions.items():
            jsonschema.Draft202012Validator.check_schema(schema)
            self._check_keywords(schema, name)

    def _check_keywords(self, schema, place):
        unknown = set(schema) - KEYWORDS
        assert not unknown, (place, unknown)
        for key in ("properties", "patternProperties"):
            for name, inner in schema.get(key, {}).items():
                assert inner.get("description"), f"{place}.{name} has no description"
                self._check_keywords(inner, f"{place}.{name}")
        for key in ("items", "additionalProperties"):
            if isinstance(schema.get(key), dict):
                self._check_keywords(schema[key], place)
        for inner in schema.get("anyOf", []):
            self._check_keywords(inner, place)

    def errors(self, value, schema):
        """Returns the errors of a value, as sentences."""
        validator = jsonschema.Draft202012Validator({**self.root, **schema})
        return [f"{error.json_path}: {error.message[:300]}"
                for error in validator.iter_errors(value)]

    def alternatives(self, schema):
        """Returns the names of the documents of which a schema is a choice."""
        if "$ref" in schema:
            name = schema["$ref"][len(self.path):]
            inner = self.definitions[name]
            return self.alternatives(inner) if "anyOf" in inner else [name]
        return [name for inner in schema["anyOf"] for name in self.alternatives(inner)]

    def document_of(self, value, schema):
        """Returns the name of the only document that fits a value."""
        names = self.alternatives(schema)
        errors = {name: self.errors(value, {"$ref": self.path + name}) for name in names}
        fitting = [name for name in names if not errors[name]]
        assert len(fitting) < 2, (fitting, value)
        if not fitting:
            nearest = min(names, key=lambda name: len(errors[name]))
            raise AssertionError(f"{str(value)[:300]} fits none of {names}; as {nearest}: "
                                 + "; ".join(errors[nearest][:5]))
        return fitting[0]
