"""Builds the bill of materials of one package as SPDX 2.3 JSON (https://spdx.github.io/spdx-spec/v2.3/)."""
import datetime
import hashlib
import re

import debian
import licences

NONE = "NOASSERTION"
# Linked statically: start-up files and the compiler's runtime functions. The remaining libraries come from the
# board's system.
STATIC = re.compile(r"libc6-dev|libgcc-\d+-dev")


def identifier(*words):
    """Returns an SPDX identifier for an element of the document."""
    return "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", "-".join(words))


def verification_code(files):
    """Returns the SPDX package verification code: the SHA-1 of the files' sorted SHA-1 checksums."""
    return hashlib.sha1("".join(sorted(hashlib.sha1(data).hexdigest() for data in files.values())).encode()).hexdigest()


def kinds(data):
    if data[:4] == b"\x7fELF":
        return ["BINARY"]
    if data[:2] == b"\x1f\x8b":
        return ["ARCHIVE"]
    return ["TEXT"]


def element(name, version, **more):
    """Returns an SPDX package entry with the fields that all packages have."""
    return {
        "SPDXID": more.pop("SPDXID"), "name": name, "versionInfo": version, "downloadLocation": NONE,
        "filesAnalyzed": False, "licenseConcluded": NONE, "licenseDeclared": NONE, "copyrightText": NONE, **more}


def made(package, origins, release, compiler):
    """Returns the document. `release` is Debian's code name, `compiler` the Swift version."""
    name, version = package.fields["Package"], package.fields["Version"]
    maintainer = "Organization: " + package.fields["Maintainer"].split(" <")[0]
    whole = f"{name}_{version}_{package.fields['Architecture']}"
    own = identifier("package", name)
    packages = [element(
        name, version, SPDXID=own, packageFileName=whole + ".deb", supplier=maintainer, filesAnalyzed=True,
        packageVerificationCode={"packageVerificationCodeValue": verification_code(package.files)},
        checksums=[{"algorithm": "SHA256", "checksumValue": package.sha256}],
        licenseConcluded="Apache-2.0", licenseDeclared="Apache-2.0", copyrightText="2026 the Swiftlet authors",
        primaryPackagePurpose="INSTALL")]
    relationships = [("SPDXRef-DOCUMENT", "DESCRIBES", own)]

    files = []
    for number, (path, data) in enumerate(sorted(package.files.items()), 1):
        reference = identifier("file", str(number))
        files.append({
            "SPDXID": reference, "fileName": path, "fileTypes": kinds(data),
            "checksums": [{"algorithm": "SHA1", "checksumValue": hashlib.sha1(data).hexdigest()},
                          {"algorithm": "SHA256", "checksumValue": hashlib.sha256(data).hexdigest()}],
            "licenseConcluded": NONE, "copyrightText": NONE})
        relationships.append((own, "CONTAINS", reference))

    swift = identifier("package", "swift-stdlib")
    packages.append(element(
        "swift-stdlib", compiler, SPDXID=swift, supplier="Organization: The Swift project",
        licenseDeclared="Apache-2.0 WITH Swift-exception",
        comment="Parts of Embedded Swift's standard library and its Unicode tables, out of the toolchain, are linked in."))
    relationships.append((own, "STATIC_LINK", swift))
    needed = set(package.depends())
    references = {}
    for origin in origins:
        reference = identifier("debian", origin.package)
        entry = element(
            origin.package, origin.version, SPDXID=reference, supplier="Organization: Debian",
            sourceInfo=f"Debian's source package {origin.source} {origin.source_version}",
            checksums=[{"algorithm": "SHA256", "checksumValue": origin.sha256}],
            licenseDeclared=licences.expression(origin.licence),
            externalRefs=[{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
                           "referenceLocator": debian.purl(origin, release)}])
        if origin.licences:
            entry["licenseComments"] = f"Debian's copyright file of {origin.source} names: {origin.licences}"
        for word in re.findall(r"LicenseRef-\S+?(?=[\s)]|$)", entry["licenseDeclared"]):
            references.setdefault(word, origin)
        packages.append(entry)
        if origin.package in needed:
            relationships.append((own, "DEPENDS_ON", reference))
        if STATIC.fullmatch(origin.package):
            relationships.append((own, "STATIC_LINK", reference))
        relationships.append((reference, "BUILD_DEPENDENCY_OF", own))

    return {
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": whole,
        "documentNamespace": f"{package.fields['Homepage'].rstrip('/')}/spdx/{whole}-{package.sha256}",
        "creationInfo": {
            "created": datetime.datetime.fromtimestamp(package.time, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "creators": ["Tool: swiftlet-scripts-sbom", maintainer]},
        "comment": "Debian's packages are in the versions that this one was built against; a board runs with its own.",
        "packages": packages, "files": files,
        "hasExtractedLicensingInfos": [
            {"licenseId": word, "name": origin.licence,
             "extractedText": f"See /usr/share/doc/{origin.package}/copyright of Debian's package {origin.package}."}
            for word, origin in sorted(references.items())],
        "relationships": [{"spdxElementId": a, "relationshipType": b, "relatedSpdxElement": c} for a, b, c in relationships]}
