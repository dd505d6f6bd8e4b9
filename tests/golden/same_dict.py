"""Is an object that hwsummarize printed the one that pytyche would have written?

same_dict.py pytyche_output.json OUTPUT: compares keys, their order, and values as text.
"""
import json
import sys

expected = json.load(open(sys.argv[1]), parse_float=str, parse_int=str)["to_dict"]
actual = json.load(open(sys.argv[2]), parse_float=str, parse_int=str)
if list(expected.items()) != list(actual.items()):
    sys.exit("expected %s\n     got %s" % (json.dumps(expected), json.dumps(actual)))
