"""What boto3 does with a store: one function a behaviour, one line of output each.

Usage: boto3_operations.py ENDPOINT. Credentials come from the environment.
Prints "PASS name" or "FAIL name" with the traceback below it, indented.
"""

import base64
import concurrent.futures
import hashlib
import io
import sys
import traceback
import urllib.error
import urllib.request
import uuid
import zlib

import boto3
import botocore.exceptions
from boto3.s3.transfer import TransferConfig
from botocore.config import Config

ENDPOINT = sys.argv[1]
MIB = 1 << 20


def client(**options):
    options.setdefault("s3", {"addressing_style": "path"})
    return boto3.client(
        "s3", endpoint_url=ENDPOINT, region_name="us-east-1", config=Config(**options)
    )


S3 = client()


def bucket(versioned=False):
    name = "boto3-" + uuid.uuid4().hex[:12]
    S3.create_bucket(Bucket=name)
    if versioned:
        S3.put_bucket_versioning(Bucket=name, VersioningConfiguration={"Status": "Enabled"})
    return name


def body(length, seed=0):
    block = hashlib.sha256(str(seed).encode()).digest()
    return (block * (length // len(block) + 1))[:length]


def refused(code, call, **arguments):
    try:
        call(**arguments)
    except botocore.exceptions.ClientError as error:
        found = error.response["Error"]["Code"]
        assert found == code, f"{found} instead of {code}: {error}"
        return error
    raise AssertionError(f"{code} expected")


def answer(request):
    """Status and body, of refusals too."""
    try:
        with urllib.request.urlopen(request) as response:
            return response.status, response.read()
    except urllib.error.HTTPError as error:
        return error.code, error.read()


def test_round_trip():
    b = bucket()
    for length in (0, 1, 65536, 3 * MIB + 1):
        put = S3.put_object(Bucket=b, Key="k", Body=body(length), Metadata={"a": "1"})
        assert put["ETag"] == '"' + hashlib.md5(body(length)).hexdigest() + '"'
        got = S3.get_object(Bucket=b, Key="k")
        assert got["Body"].read() == body(length)
        assert got["Metadata"] == {"a": "1"}
        assert S3.head_object(Bucket=b, Key="k")["ContentLength"] == length


def test_streams_of_unknown_kind():
    b = bucket()
    S3.upload_fileobj(io.BytesIO(body(500_000)), b, "k")
    target = io.BytesIO()
    S3.download_fileobj(b, "k", target)
    assert target.getvalue() == body(500_000)


def test_transfer_in_parts():
    b = bucket()
    data = body(21 * MIB + 17)
    config = TransferConfig(
        multipart_threshold=6 * MIB, multipart_chunksize=5 * MIB, max_concurrency=4
    )
    S3.upload_fileobj(io.BytesIO(data), b, "k", Config=config)
    assert S3.head_object(Bucket=b, Key="k")["ETag"].endswith('-5"')
    target = io.BytesIO()
    S3.download_fileobj(b, "k", target, Config=config)
    assert target.getvalue() == data
    S3.copy({"Bucket": b, "Key": "k"}, b, "copy", Config=config)
    assert S3.get_object(Bucket=b, Key="copy")["Body"].read() == data


def test_checksums():
    b = bucket()
    data = body(100_000, 5)
    expected = {
        "CRC32": base64.b64encode(zlib.crc32(data).to_bytes(4, "big")).decode(),
        "SHA1": base64.b64encode(hashlib.sha1(data).digest()).decode(),
        "SHA256": base64.b64encode(hashlib.sha256(data).digest()).decode(),
    }
    for algorithm, value in expected.items():
        put = S3.put_object(Bucket=b, Key=algorithm, Body=data, ChecksumAlgorithm=algorithm)
        assert put["Checksum" + algorithm] == value
        got = S3.get_object(Bucket=b, Key=algorithm, ChecksumMode="ENABLED")
        assert got["Checksum" + algorithm] == value
        assert got["Body"].read() == data
    refused(
        "BadDigest", S3.put_object, Bucket=b, Key="bad", Body=data,
        ChecksumSHA256=expected["SHA256"].replace(expected["SHA256"][3], "A", 1)
        if expected["SHA256"][3] != "A" else "B" + expected["SHA256"][1:],
    )
    refused("NoSuchKey", S3.get_object, Bucket=b, Key="bad")


def test_checksums_only_when_required():
    b = bucket()
    plain = client(
        request_checksum_calculation="when_required",
        response_checksum_validation="when_required",
    )
    plain.put_object(Bucket=b, Key="k", Body=b"body")
    assert plain.get_object(Bucket=b, Key="k")["Body"].read() == b"body"
    plain.delete_objects(Bucket=b, Delete={"Objects": [{"Key": "k"}]})
    refused("NoSuchKey", S3.get_object, Bucket=b, Key="k")


def test_unsigned_and_signed_payloads():
    b = bucket()
    signed = client(s3={"addressing_style": "path", "payload_signing_enabled": True})
    signed.put_object(Bucket=b, Key="k", Body=b"signed")
    assert S3.get_object(Bucket=b, Key="k")["Body"].read() == b"signed"


def test_virtual_host_style():
    """localhost has every subdomain, and boto3 puts the bucket there when told to."""
    b = bucket()
    scheme, _, port = ENDPOINT.split(":")
    hosted = boto3.client(
        "s3", endpoint_url=f"{scheme}://localhost:{port}", region_name="us-east-1",
        config=Config(s3={"addressing_style": "virtual"}, signature_version="s3v4"),
    )
    url = hosted.generate_presigned_url("put_object", Params={"Bucket": b, "Key": "k/ü"})
    host = url.split("/")[2]
    assert host == f"{b}.localhost:{port}", host
    request = urllib.request.Request(
        url.replace(host, f"127.0.0.1:{port}"), data=b"body", method="PUT",
        headers={"Host": host},
    )
    status, text = answer(request)
    assert status == 200, text
    assert S3.get_object(Bucket=b, Key="k/ü")["Body"].read() == b"body"


def test_ranges_and_conditions():
    b = bucket()
    etag = S3.put_object(Bucket=b, Key="k", Body=b"0123456789")["ETag"]
    got = S3.get_object(Bucket=b, Key="k", Range="bytes=2-4")
    assert got["Body"].read() == b"234" and got["ContentRange"] == "bytes 2-4/10"
    refused("InvalidRange", S3.get_object, Bucket=b, Key="k", Range="bytes=10-")
    refused("PreconditionFailed", S3.get_object, Bucket=b, Key="k", IfMatch='"x"')
    refused("304", S3.get_object, Bucket=b, Key="k", IfNoneMatch=etag)
    refused("PreconditionFailed", S3.put_object, Bucket=b, Key="k", Body=b"x", IfNoneMatch="*")
    S3.put_object(Bucket=b, Key="k", Body=b"next", IfMatch=etag)
    refused("PreconditionFailed", S3.put_object, Bucket=b, Key="k", Body=b"x", IfMatch=etag)
    assert S3.get_object(Bucket=b, Key="k")["Body"].read() == b"next"


def test_versions():
    b = bucket(versioned=True)
    ids = [S3.put_object(Bucket=b, Key="k", Body=str(i).encode())["VersionId"] for i in range(4)]
    marker = S3.delete_object(Bucket=b, Key="k")
    assert marker["DeleteMarker"]
    listed = S3.list_object_versions(Bucket=b)
    assert [v["VersionId"] for v in listed["Versions"]] == ids[::-1]
    assert [m["VersionId"] for m in listed["DeleteMarkers"]] == [marker["VersionId"]]
    for i, version in enumerate(ids):
        got = S3.get_object(Bucket=b, Key="k", VersionId=version)["Body"].read()
        assert got == str(i).encode()
    S3.delete_object(Bucket=b, Key="k", VersionId=marker["VersionId"])
    assert S3.get_object(Bucket=b, Key="k")["Body"].read() == b"3"


def test_listings():
    b = bucket()
    keys = sorted([f"p{i % 3}/k{i:03d}" for i in range(25)] + ["top & <é>", "x y+z%"],
                  key=lambda key: key.encode())
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda key: S3.put_object(Bucket=b, Key=key, Body=b""), keys))
    for name in ("list_objects", "list_objects_v2"):
        pages = S3.get_paginator(name).paginate(Bucket=b, PaginationConfig={"PageSize": 4})
        assert [o["Key"] for page in pages for o in page.get("Contents", [])] == keys, name
        grouped = getattr(S3, name)(Bucket=b, Delimiter="/")
        assert [p["Prefix"] for p in grouped["CommonPrefixes"]] == ["p0/", "p1/", "p2/"]
        assert [o["Key"] for o in grouped["Contents"]] == keys[-2:]


def test_copy_and_tags():
    b = bucket()
    S3.put_object(Bucket=b, Key="a", Body=b"body", Tagging="t=1", ContentType="text/x")
    S3.copy_object(Bucket=b, Key="b ü", CopySource={"Bucket": b, "Key": "a"})
    assert S3.head_object(Bucket=b, Key="b ü")["ContentType"] == "text/x"
    assert S3.get_object_tagging(Bucket=b, Key="b ü")["TagSet"] == [{"Key": "t", "Value": "1"}]
    S3.put_object_tagging(Bucket=b, Key="a", Tagging={"TagSet": [{"Key": "u", "Value": ""}]})
    assert S3.get_object_tagging(Bucket=b, Key="a")["TagSet"] == [{"Key": "u", "Value": ""}]
    S3.delete_object_tagging(Bucket=b, Key="a")
    assert S3.get_object_tagging(Bucket=b, Key="a")["TagSet"] == []


def test_multipart_by_hand():
    b = bucket()
    upload = S3.create_multipart_upload(Bucket=b, Key="k", ChecksumAlgorithm="SHA256")["UploadId"]
    parts = []
    for number, data in ((1, body(5 * MIB, 1)), (2, body(100, 2))):
        part = S3.upload_part(
            Bucket=b, Key="k", UploadId=upload, PartNumber=number, Body=data,
            ChecksumAlgorithm="SHA256",
        )
        parts.append(
            {"PartNumber": number, "ETag": part["ETag"], "ChecksumSHA256": part["ChecksumSHA256"]}
        )
    assert [u["UploadId"] for u in S3.list_multipart_uploads(Bucket=b)["Uploads"]] == [upload]
    assert len(S3.list_parts(Bucket=b, Key="k", UploadId=upload)["Parts"]) == 2
    done = S3.complete_multipart_upload(
        Bucket=b, Key="k", UploadId=upload, MultipartUpload={"Parts": parts}
    )
    joined = b"".join(base64.b64decode(part["ChecksumSHA256"]) for part in parts)
    expected = base64.b64encode(hashlib.sha256(joined).digest()).decode() + "-2"
    assert done["ChecksumSHA256"] == expected, done
    attributes = S3.get_object_attributes(
        Bucket=b, Key="k", ObjectAttributes=["ObjectParts", "ObjectSize", "Checksum", "ETag"]
    )
    assert attributes["ObjectSize"] == 5 * MIB + 100
    assert attributes["ObjectParts"]["TotalPartsCount"] == 2
    assert S3.get_object(Bucket=b, Key="k", PartNumber=2)["Body"].read() == body(100, 2)


def test_presigned_urls():
    b = bucket()
    # Without this, boto3 presigns by Signature Version 2, as the next test does.
    signer = client(signature_version="s3v4")
    put = signer.generate_presigned_url("put_object", Params={"Bucket": b, "Key": "a b/ü"})
    request = urllib.request.Request(put, data=b"by url", method="PUT")
    status, text = answer(request)
    assert status == 200, text
    get = signer.generate_presigned_url("get_object", Params={"Bucket": b, "Key": "a b/ü"})
    assert answer(get) == (200, b"by url")
    assert answer(get.replace("a%20b", "a%20c"))[0] == 403


def test_presigned_as_boto3_does_by_default():
    b = bucket()
    signer = client(signature_version="s3")
    put = signer.generate_presigned_url(
        "put_object",
        Params={"Bucket": b, "Key": "a b/ü", "ContentType": "text/x", "Metadata": {"m": "1"}},
    )
    assert "AWSAccessKeyId=" in put
    for kind, status in (("text/y", 403), ("text/x", 200)):
        request = urllib.request.Request(
            put, data=b"by url", method="PUT", headers={"Content-Type": kind}
        )
        assert answer(request)[0] == status
    head = S3.head_object(Bucket=b, Key="a b/ü")
    assert (head["ContentType"], head["Metadata"]) == ("text/x", {"m": "1"})
    get = signer.generate_presigned_url(
        "get_object",
        Params={"Bucket": b, "Key": "a b/ü", "ResponseContentDisposition": 'attachment; x="ü y"'},
    )
    assert answer(get) == (200, b"by url")
    assert answer(get.replace("a%20b", "a%20c"))[0] == 403
    assert answer(get + "&versionId=null")[0] == 403
    assert answer(get + "&acl")[0] == 403
    listing = signer.generate_presigned_url("list_objects", Params={"Bucket": b, "Prefix": "a"})
    assert answer(listing)[0] == 200
    late = signer.generate_presigned_url(
        "get_object", Params={"Bucket": b, "Key": "a b/ü"}, ExpiresIn=-1
    )
    assert answer(late)[0] == 403


def test_configuration_of_a_bucket():
    b = bucket()
    refused("NoSuchCORSConfiguration", S3.get_bucket_cors, Bucket=b)
    rule = {
        "AllowedOrigins": ["https://app.example"],
        "AllowedMethods": ["GET"],
        "AllowedHeaders": ["*"],
        "ExposeHeaders": ["ETag"],
        "MaxAgeSeconds": 60,
    }
    S3.put_bucket_cors(Bucket=b, CORSConfiguration={"CORSRules": [rule]})
    assert S3.get_bucket_cors(Bucket=b)["CORSRules"] == [rule]
    request = urllib.request.Request(
        f"{ENDPOINT}/{b}/key",
        method="OPTIONS",
        headers={
            "Origin": "https://app.example",
            "Access-Control-Request-Method": "GET",
            "Access-Control-Request-Headers": "x-amz-date",
        },
    )
    assert answer(request)[0] == 200
    S3.delete_bucket_cors(Bucket=b)
    assert answer(request)[0] == 403
    refused("NoSuchTagSet", S3.get_bucket_tagging, Bucket=b)
    tags = [{"Key": "team", "Value": "rot & grün"}]
    refused("InvalidTag", S3.put_bucket_tagging, Bucket=b, Tagging={"TagSet": tags})
    tags = [{"Key": "team", "Value": "rot + grün"}]
    S3.put_bucket_tagging(Bucket=b, Tagging={"TagSet": tags})
    assert S3.get_bucket_tagging(Bucket=b)["TagSet"] == tags
    S3.delete_bucket_tagging(Bucket=b)
    assert S3.get_bucket_request_payment(Bucket=b)["Payer"] == "BucketOwner"
    S3.put_bucket_request_payment(
        Bucket=b, RequestPaymentConfiguration={"Payer": "BucketOwner"}
    )
    S3.put_bucket_accelerate_configuration(
        Bucket=b, AccelerateConfiguration={"Status": "Suspended"}
    )
    S3.put_bucket_notification_configuration(Bucket=b, NotificationConfiguration={})
    S3.put_bucket_logging(Bucket=b, BucketLoggingStatus={})
    S3.put_bucket_ownership_controls(
        Bucket=b, OwnershipControls={"Rules": [{"ObjectOwnership": "BucketOwnerEnforced"}]}
    )


def post(form, file):
    """Sends a form as a browser does."""
    parts = [
        f'--b\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'
        for name, value in form["fields"].items()
    ]
    parts.append('--b\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\n')
    return urllib.request.Request(
        form["url"],
        data="".join(parts).encode() + file + b"\r\n--b--\r\n",
        headers={"Content-Type": "multipart/form-data; boundary=b"},
    )


def test_presigned_posts():
    b = bucket()
    for version in ("s3", "s3v4"):
        signer = client(signature_version=version)
        form = signer.generate_presigned_post(
            b,
            version + "/${filename}",
            Fields={"Content-Type": "text/plain"},
            Conditions=[{"Content-Type": "text/plain"}, ["content-length-range", 1, 5 * MIB]],
        )
        assert answer(post(form, body(4 * MIB)))[0] == 204
        assert S3.get_object(Bucket=b, Key=version + "/f")["Body"].read() == body(4 * MIB)
        assert answer(post(form, body(5 * MIB + 1)))[0] == 400
        assert answer(post(form, b""))[0] == 400
        form["fields"]["key"] = "other"
        assert answer(post(form, b"x"))[0] == 403
    assert S3.list_objects_v2(Bucket=b)["KeyCount"] == 2


def test_batch_delete():
    b = bucket()
    keys = [f"k{i}" for i in range(30)]
    for key in keys:
        S3.put_object(Bucket=b, Key=key, Body=b"")
    deleted = S3.delete_objects(
        Bucket=b, Delete={"Objects": [{"Key": key} for key in keys + ["missing"]]}
    )
    assert len(deleted["Deleted"]) == 31 and "Errors" not in deleted
    assert S3.list_objects_v2(Bucket=b)["KeyCount"] == 0
    S3.delete_bucket(Bucket=b)
    refused("404", S3.head_bucket, Bucket=b)


def main():
    failed = False
    for name, test in list(globals().items()):
        if not name.startswith("test_"):
            continue
        try:
            test()
            print("PASS", name)
        except Exception:  # each behaviour is judged by itself
            failed = True
            print("FAIL", name)
            print("    " + traceback.format_exc().replace("\n", "\n    "))
    sys.exit(1 if failed else 0)


main()
