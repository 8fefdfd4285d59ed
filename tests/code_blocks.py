"""The fenced code blocks of a Markdown page."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

_FENCE = re.compile(r"^```(?P<info>\S[^\n]*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class CodeBlock:
    """`info` is what stands behind the opening fence: the language first, then flags."""

    page: str
    line: int
    info: str
    text: str

    @property
    def language(self) -> str:
        return self.info.split()[0]

    @property
    def flags(self) -> list[str]:
        return self.info.split()[1:]

    def __str__(self) -> str:
        return f"{self.page}:{self.line}"


def code_blocks(page: Path, language: str | None = None) -> list[CodeBlock]:
    """All blocks of a page, or those in one language, in the order written."""
    text = page.read_text(encoding="utf-8")
    blocks = [
        CodeBlock(page.name, text.count("\n", 0, match.start()) + 1, match["info"], match["text"])
        for match in _FENCE.finditer(text)
    ]
    return [block for block in blocks if language is None or block.language == language]


def ran(line: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """A shell command, with the programs of this interpreter's environment first in the path."""
    programs = Path(sys.executable).parent
    environment = os.environ | {"PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"}
    return subprocess.run(line, shell=True, cwd=folder, env=environment, capture_output=True, text=True)
