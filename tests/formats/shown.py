"""Names as formats without escapes have them."""
import re


def inert(text):
    """Controls and what can't be seen, or told from a blank, made visible, and no mark of a command."""
    shown = "".join({"\n": "\\n", "\t": "\\t"}.get(c) or
                    (("\\x%02x" if ord(c) < 128 else "\\u%04x") % ord(c)
                     if re.match("[\x00-\x1f\x7f-\xa0\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\ufeff\U000e0000-\U000e007f]", c)
                     else c) for c in text)
    return re.sub(r"##([a-z]*\[)", r"#\\x23\1", shown)
