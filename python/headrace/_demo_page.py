"""The demo's page: originals beside their augmented crops, in one file without references."""

from __future__ import annotations

import base64
import html
import os
import struct
import zlib
from pathlib import Path
from typing import Any

MOST_SHOWN = 24

PAGE = """<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Headrace demo</title>
<style>
body {{ font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 72rem; padding: 0 1rem;
       color: #1c2b33; background: #f7f9fa; }}
h1 {{ font-weight: 600; margin-bottom: 0; }}
pre {{ background: #fff; border: 1px solid #d8e0e4; border-radius: 6px; padding: 1rem;
      overflow-x: auto; }}
ul {{ list-style: none; padding: 0; display: grid; gap: 1rem;
     grid-template-columns: repeat(auto-fill, minmax(20rem, 1fr)); }}
li {{ background: #fff; border: 1px solid #d8e0e4; border-radius: 6px; padding: .75rem; }}
li div {{ display: flex; gap: .5rem; align-items: center; justify-content: space-around; }}
img {{ max-width: 48%; height: auto; border-radius: 3px; }}
table {{ background: #fff; border: 1px solid #d8e0e4; border-collapse: collapse; margin: .5rem 0; }}
th, td {{ padding: .25rem .75rem; border: 1px solid #d8e0e4; text-align: left; }}
td.captured {{ color: #11703a; }} td.partly {{ color: #8a6100; }} td.eager {{ color: #a3262a; }}
h2 {{ font-weight: 600; margin: 1.5rem 0 0; }}
p {{ margin: .5rem 0 0; overflow-wrap: anywhere; color: #50636d; }}
</style>
<h1>Headrace demo</h1>
<p>Each photo as it is stored, and the crop that the main job made of it: read, decode, random
resized crop to 224&times;224, random flip; the last step, normalization to float32 CHW, is what a
model gets and is not shown.</p>
<pre>{table}</pre>
<h2>What was captured</h2>
<p>The job ran as a captured loop: recorded in its first step, computed ahead of the program from then on.
<code>loop.explain()</code>, one row a call:</p>
{explain}
<h2>Where the time went</h2>
<p><code>loop.stats()</code>, of the steps that came from the pipeline:</p>
{stats}
<h2>Photos and crops</h2>
<ul>
{items}
</ul>
</html>
"""

ITEM = """<li><div><img alt="original" src="{before}"><img alt="crop" src="{after}"></div>
<p>{name}, {width}&times;{height}</p></li>"""


def png_url(image: Any) -> str:
    """A uint8 HWC RGB tensor as a data URL."""
    height, width, channels = image.shape
    data = bytes(memoryview(image))
    step = width * channels
    rows = b"".join(b"\0" + data[y * step:(y + 1) * step] for y in range(height))

    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    png = (b"\x89PNG\r\n\x1a\n"
           + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
           + chunk(b"IDAT", zlib.compress(rows, 6)) + chunk(b"IEND", b""))
    return "data:image/png;base64," + base64.b64encode(png).decode()


def _pairs(encoded: Any, crops: Any) -> list[str]:
    """One item a sample of a step."""
    import headrace as hr

    out = []
    for file, crop in zip(encoded.tensors, crops.tensors):
        image = hr.decoders.image(file)
        height, width = image.shape[:2]
        small = hr.resize(image, resize_longer=320.0) if max(height, width) > 320 else image
        name = html.escape(os.path.basename(file.source_info or "photo"))
        out.append(ITEM.format(before=png_url(small), after=png_url(crop), name=name, width=width,
                               height=height))
    return out


def write_page(folder: Path, shown: list[tuple[Any, ...]], table: str,
               reports: tuple[Any, Any]) -> Path:
    """Writes index.html into `folder` (made if need be); returns its path."""
    items: list[str] = []
    for encoded, crops in shown:
        if len(items) < MOST_SHOWN:
            items += _pairs(encoded, crops)
    folder.mkdir(parents=True, exist_ok=True)
    page = folder / "index.html"
    explained, stats = (report._repr_html_() for report in reports)
    page.write_text(PAGE.format(table=html.escape(table), explain=explained, stats=stats,
                                items="\n".join(items[:MOST_SHOWN])), encoding="utf-8")
    return page
