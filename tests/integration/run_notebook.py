"""Runs the code cells of a notebook, and compares their output with the recorded one: NOTEBOOK.

With --write, records the output instead. Needs no Jupyter.
"""

import contextlib
import io
import json
import sys

path = sys.argv[1]
write = "--write" in sys.argv[2:]
with open(path, encoding="utf-8") as file:
    notebook = json.load(file)
names = {"__name__": "__main__"}
count = 0
for cell in notebook["cells"]:
    if cell["cell_type"] != "code":
        continue
    count += 1
    source = "".join(cell["source"])
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        exec(compile(source, f"cell {count}", "exec"), names)
    text = output.getvalue()
    recorded = "".join("".join(one["text"]) for one in cell["outputs"])
    if write:
        cell["execution_count"] = count
        cell["outputs"] = [{"name": "stdout", "output_type": "stream",
                            "text": text.splitlines(keepends=True)}] if text else []
    else:
        assert text, f"cell {count} prints nothing"
        assert text == recorded, f"cell {count} prints:\n{text}\nrecorded:\n{recorded}"
if write:
    with open(path, "w", encoding="utf-8") as file:
        file.write(json.dumps(notebook, indent=1) + "\n")
print("ok", count)
