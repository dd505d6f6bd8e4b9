"""Checks documents against a JSON schema: valid.py SCHEMA DOCUMENT..."""
import json
import sys

import jsonschema


def refuse(constant):
    raise ValueError("%s is no JSON" % constant)


def pairs(items):
    keys = [k for k, _ in items]
    if len(set(keys)) != len(keys):
        raise ValueError("a key comes twice: %s" % keys)
    return dict(items)


schema = json.load(open(sys.argv[1]))
kind = jsonschema.validators.validator_for(schema)
kind.check_schema(schema)
validator = kind(schema)
bad = 0
for path in sys.argv[2:]:
    try:
        text = open(path, encoding="utf-8", errors="strict").read()
        document = json.loads(text, parse_constant=refuse, object_pairs_hook=pairs)
        errors = list(validator.iter_errors(document))
    except ValueError as error:
        errors = [error]
    for error in errors[:5]:
        bad += 1
        print("%s: %s" % (path, str(getattr(error, "message", error))[:300]))
sys.exit(bad > 0)
