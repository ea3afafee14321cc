"""A download never writes outside the downloads folder, whatever its address."""

import random
from pathlib import Path

from cases import each

from linclass_study.data.fetch_dataset import offers
from linclass_study.data.local_copies import SearchFolders, as_name, name_in_mirror, place_of

PIECES = [
    "..", ".", "", "/", "\\", "%2f", "%2F", "%5c", "%00", "%0a", "%2e%2e", "%252f", "..%2f..", "?", "#", "@", ":",
    "a", "B", "a.csv", "é", "%c3%a9", "%ff", "\udc80", " ", "~", "C:", "data.", "...", "&x=1/../..", "x" * 300, "%",
]  # fmt: skip


def addresses(count):
    draw = random.Random(0)
    for _ in range(count):
        path = "".join(draw.choices(PIECES, k=draw.randint(0, 12)))
        yield f"http{draw.choice(['', 's'])}://{draw.choice(['h.org', '..', 'u:p@h', ''])}/{path}"


def is_plain(name):
    odd = {"/", "\\", "\0", "\n"} & {*name}
    return name not in ("", ".", "..") and not odd and len(name.encode()) <= 240


def test_downloads_of_any_address_stay_in_the_folder_under_names_of_their_own(tmp_path):
    downloads = tmp_path / "downloads"
    for i, address in enumerate(addresses(3000)):
        place = place_of(address, downloads)
        steps = place.relative_to(downloads).parts
        assert len(steps) >= 2, address
        assert all(map(is_plain, steps)), address
        assert not any(step.endswith((".", " ")) for step in steps), address
        assert Path(place).resolve().is_relative_to(downloads.resolve()), address
        assert len(str(place)) < 2000, address
        assert not place.is_file()  # which no name is too long for
        assert is_plain(name_in_mirror(address)), address
        if i < 100:
            written = place_of(address, tmp_path / str(i))
            written.parent.mkdir(parents=True)
            for end in ("", f".{'0' * 32}.partial", ".xz"):
                Path(f"{written}{end}").write_text("")
    some = [  # different addresses
        "http://h/a/b", "http://h/a//b", "http://h/a/../b", "http://h/a/./b", "http://h/a%2fb", "http://h/a/b?x",
        "http://h/a/b?x/y", "http://g/a/b", "http://h/a/b/", "http://h/A/b", "http://h/a/b%3Fx",
        "http://h/" + "a" * 400, "http://h/" + "a" * 401, "http://h/" + "a/" * 900, "http://h/" + "a/" * 901,
    ]  # fmt: skip
    assert len({place_of(address, Path()) for address in some}) == len(some)
    name = as_name("a" * 300 + ".csv")
    assert name.endswith(".csv")
    assert len(name) <= 200


def test_no_copy_is_searched_outside_the_folders(tmp_path):
    secret = tmp_path / "secret.csv"
    secret.write_text("a,y\n1,2\n")
    for folder in ("downloads", "mirror"):
        (tmp_path / folder / "h").mkdir(parents=True)
    folders = SearchFolders([tmp_path / "mirror"], tmp_path / "downloads")
    for hidden in ("..%2fsecret.csv", "%2e%2e%2fsecret.csv", "..%2f..%2fsecret.csv", str(secret)):
        address = f"http://h/{hidden.replace('/', '%2f')}"
        assert [name for name, _ in offers({"url": address}, folders, True)] == [address]


@each(("address", "place", "name"), [
    ("https://h.org/deep/a.csv", "h.org/deep/a.csv", "a.csv"),
    ("https://h.org/a%20b.csv", "h.org/a%2520b.csv", "a b.csv"),
    ("https://h.org:80/a.csv?x=1", "h.org%3A80/a.csv%3Fx%3D1", "a.csv"),
    ("https://user:password@h.org/a.csv", "h.org/a.csv", "a.csv"),
    ("https://h.org", "h.org/%", "%"),
])  # fmt: skip
def test_a_plain_address_has_a_plain_place(address, place, name):
    assert place_of(address, Path("d")) == Path("d", place)
    assert name_in_mirror(address) == name


def test_an_invalid_url_is_reported(reason):
    output = reason({"format": "csv", "target": "y", "source": {"url": "http://[h/a.csv"}})
    assert output == "http://[h/a.csv: invalid URL"
