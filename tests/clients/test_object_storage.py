"""The rule of docs/cluster.md that stores an archive of the results in S3, with a server on this machine."""

import io
import zipfile

import pytest
from page_examples import shown_files
from projects import Project

moto = pytest.importorskip("moto.server")
boto3 = pytest.importorskip("boto3")
pytest.importorskip("snakemake_storage_plugin_s3")
pytestmark = pytest.mark.clients


def test_an_archive_of_the_results_is_stored_in_s3(tmp_path):
    project = Project(tmp_path)
    project.write("Snakefile", shown_files("docs/cluster.md")["archive.smk"])
    project.write(
        "mystudy.yaml", "datasets: [iris]\nmethods: [lda, majority]\nevaluation: {folds: 3}\n"
    )
    server = moto.ThreadedMotoServer(ip_address="127.0.0.1", port=0)
    server.start()
    try:
        host, port = server.get_host_and_port()
        keys = {"aws_access_key_id": "key", "aws_secret_access_key": "secret"}
        address = f"http://{host}:{port}"
        s3 = boto3.client("s3", endpoint_url=address, region_name="us-east-1", **keys)
        s3.create_bucket(Bucket="my-bucket")
        access = ["--storage-s3-access-key", "key", "--storage-s3-secret-key", "secret"]
        output = project.snakemake(
            "--storage-s3-endpoint-url",
            address,
            *access,
            study="mystudy.yaml",
            no_proxy="127.0.0.1",
        )
        assert output.code == 0, output.text
        stored = s3.get_object(Bucket="my-bucket", Key="study.zip")["Body"].read()
    finally:
        server.stop()
    names = zipfile.ZipFile(io.BytesIO(stored)).namelist()
    assert any(name.endswith("/report.html") for name in names)
