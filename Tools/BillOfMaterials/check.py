"""Checks a bill of materials against the package, the list of packages that it was built against, and the rules of
SPDX 2.3.
"""
import hashlib
import re

import debian
import document
import licences

RELATIONS = {"DESCRIBES", "CONTAINS", "STATIC_LINK", "DEPENDS_ON", "BUILD_DEPENDENCY_OF"}


def is_expression(text, defined):
    """Returns whether a license expression uses only licenses on SPDX's list or defined in the document."""
    if text == document.NONE:
        return True
    known = licences.KNOWN | defined | {"Apache-2.0 WITH Swift-exception"}
    bare = re.sub(r"[()]", " ", text)
    return all(" ".join(word.split()) in known for word in re.split(r" AND | OR ", bare)) and text.count("(") == text.count(")")


def mistakes(bill, package, origins, release):
    """Yields a sentence for each mistake."""
    for key in ("spdxVersion", "dataLicense", "SPDXID", "name", "documentNamespace", "creationInfo", "packages", "files",
                "relationships"):
        if not bill.get(key):
            yield f"there is no {key}"
            return
    if (bill["spdxVersion"], bill["dataLicense"], bill["SPDXID"]) != ("SPDX-2.3", "CC0-1.0", "SPDXRef-DOCUMENT"):
        yield "the document is not SPDX 2.3"
    if not re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", bill["creationInfo"].get("created", "")):
        yield "the time is not as SPDX writes it"
    if not re.fullmatch(r"https://[^#\s]+", bill["documentNamespace"]):
        yield "the namespace is not a URI without a fragment"

    elements = [bill["SPDXID"]] + [entry["SPDXID"] for entry in bill["packages"] + bill["files"]]
    for name in elements:
        if not re.fullmatch(r"SPDXRef-[A-Za-z0-9.-]+", name):
            yield f"{name} is no identifier"
        if elements.count(name) > 1:
            yield f"{name} stands for several things"
    relations = {(r["spdxElementId"], r["relationshipType"], r["relatedSpdxElement"]) for r in bill["relationships"]}
    for first, relation, second in relations:
        if not {first, second} <= set(elements) or relation not in RELATIONS:
            yield f"{first} {relation} {second} relates what is not there"

    defined = {entry["licenseId"] for entry in bill.get("hasExtractedLicensingInfos", [])}
    for entry in bill["packages"]:
        for key in ("licenseConcluded", "licenseDeclared"):
            if not is_expression(entry[key], defined):
                yield f"{entry['name']}: {entry[key]} is no expression of licences"

    own = bill["packages"][0]
    if (own["name"], own["versionInfo"]) != (package.fields["Package"], package.fields["Version"]):
        yield "it is another package's or version's"
    if own["checksums"] != [{"algorithm": "SHA256", "checksumValue": package.sha256}]:
        yield "the package has another checksum"
    if own["packageVerificationCode"]["packageVerificationCodeValue"] != document.verification_code(package.files):
        yield "the package's files have another verification code"
    listed = {entry["fileName"]: {sum["algorithm"]: sum["checksumValue"] for sum in entry["checksums"]} for entry in bill["files"]}
    for path in sorted(listed.keys() | package.files.keys()):
        data = package.files.get(path)
        if path not in listed or data is None:
            yield f"{path} is only in one of package and document"
        elif listed[path] != {"SHA1": hashlib.sha1(data).hexdigest(), "SHA256": hashlib.sha256(data).hexdigest()}:
            yield f"{path} has other checksums"

    others = {entry["name"]: entry for entry in bill["packages"] if entry["SPDXID"].startswith("SPDXRef-debian-")}
    if others.keys() != {origin.package for origin in origins}:
        yield "its packages of Debian are not those that it was built against"
    for origin in origins:
        entry = others.get(origin.package)
        if entry is None:
            continue
        links = [link["referenceLocator"] for link in entry["externalRefs"]]
        if entry["versionInfo"] != origin.version or links != [debian.purl(origin, release)]:
            yield f"{origin.package} has another version than it was built against"
        if (entry["SPDXID"], "BUILD_DEPENDENCY_OF", own["SPDXID"]) not in relations:
            yield f"{origin.package} does not say what it is there for"
    for name in package.depends():
        if name.startswith("lib") and (own["SPDXID"], "DEPENDS_ON", "SPDXRef-debian-" + name.replace("+", "-")) not in relations:
            yield f"the package depends on {name}, and the document does not"
