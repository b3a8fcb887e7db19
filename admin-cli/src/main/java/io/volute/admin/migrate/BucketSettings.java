package io.volute.admin.migrate;

import io.volute.admin.migrate.ImportReport.Problem;
import io.volute.admin.s3.S3Body;
import io.volute.admin.s3.S3Client;
import io.volute.admin.s3.S3Error;
import io.volute.admin.s3.S3Reply;
import io.volute.admin.s3.S3Request;
import io.volute.admin.s3.XmlTree;
import io.volute.adminapi.AdminJson;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Makes the target bucket, and gives it the settings of the source. Used by one thread. */
final class BucketSettings {
    private static final String LOCK = "object-lock";
    private static final String VERSIONING = "versioning";
    private static final String BLOCK = "publicAccessBlock";
    private static final String ENABLED =
            "<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>";

    /** Settings that decide how objects are stored: they come first. */
    private static final List<String> BEFORE = List.of("encryption", SourceGrants.OWNERSHIP);

    /** Settings that would refuse, change or remove imported objects: they come last. */
    private static final List<String> AFTER =
            List.of("tagging", "cors", "policy", BLOCK, LOCK, "lifecycle", VERSIONING);

    /** Settings that are not carried over. */
    private static final List<String> NEVER =
            List.of("replication", "notification", "website", "logging");

    private final S3Client source;
    private final S3Client target;
    private final BucketPair pair;
    private final ImportReport report;

    BucketSettings(S3Client source, S3Client target, BucketPair pair, ImportReport report) {
        this.source = source;
        this.target = target;
        this.pair = pair;
        this.report = report;
    }

    /**
     * Makes the bucket if it is missing, ready to take the versions of the source.
     *
     * @return the ACLs of the source
     * @throws IOException if it cannot take them
     */
    SourceGrants before() throws IOException, InterruptedException {
        boolean isMinio = isMinio();
        boolean isLocked = read(source, pair.source(), LOCK).isPresent();
        if (target.find(S3Request.of("HEAD", pair.target())).isEmpty()) {
            S3Request make = S3Request.of("PUT", pair.target());
            target.bytes(isLocked ? make.header("x-amz-bucket-object-lock-enabled", "true") : make);
        } else if (isLocked && read(target, pair.target(), LOCK).isEmpty()) {
            throw new IOException(
                    "bucket "
                            + pair.target()
                            + " exists without Object Lock, and the source has it: import into"
                            + " another bucket, or remove this one");
        }
        if (!isLocked && hasVersions()) {
            write(VERSIONING, ENABLED.getBytes(StandardCharsets.UTF_8));
        }
        BEFORE.forEach(this::carry);
        hideBeforeSharing();
        if (isMinio) {
            reportQuota();
        }
        return SourceGrants.of(source, target, pair, isMinio);
    }

    private boolean isMinio() throws IOException, InterruptedException {
        try (S3Reply reply = source.send(S3Request.of("HEAD", pair.source()))) {
            return reply.header("server").filter(name -> name.startsWith("MinIO")).isPresent();
        } catch (S3Error e) {
            if (e.status() == 404) {
                throw new IOException("there is no bucket " + pair.source() + " at the source", e);
            }
            throw e;
        }
    }

    /**
     * Blocks public access as the source does, but accepts public policies and ACLs. They follow,
     * and share nothing at any time that the source does not share.
     */
    private void hideBeforeSharing() throws InterruptedException {
        try {
            Optional<byte[]> found = read(source, pair.source(), BLOCK);
            if (found.isPresent()) {
                XmlTree block = XmlTree.parse(found.get());
                StringBuilder hiding = new StringBuilder("<PublicAccessBlockConfiguration>");
                for (String name : List.of("IgnorePublicAcls", "RestrictPublicBuckets")) {
                    boolean isOn = block.text(name).strip().equals("true");
                    hiding.append('<').append(name).append('>').append(isOn);
                    hiding.append("</").append(name).append('>');
                }
                hiding.append("</PublicAccessBlockConfiguration>");
                write(BLOCK, hiding.toString().getBytes(StandardCharsets.UTF_8));
            }
        } catch (IOException e) {
            problem(BLOCK, e.getMessage());
        }
    }

    /** Reports the quota of a bucket of MinIO, which only its admin API has. */
    private void reportQuota() throws InterruptedException {
        try {
            Optional<byte[]> found =
                    source.find(
                            S3Request.of("GET", "minio", "admin/v3/get-bucket-quota")
                                    .with("bucket", pair.source()));
            Object quota = found.isEmpty() ? 0 : AdminJson.fields(found.get()).get("quota");
            if (quota instanceof Number bytes && bytes.longValue() > 0) {
                problem("quota", "it is " + bytes + " bytes there; buckets here have no quotas");
            }
        } catch (IOException e) {
            problem("quota", "cannot be read: " + e.getMessage());
        }
    }

    private boolean hasVersions() throws IOException, InterruptedException {
        Optional<byte[]> versioning = read(source, pair.source(), VERSIONING);
        return versioning.isPresent() && !XmlTree.parse(versioning.get()).text("Status").isEmpty();
    }

    /** Carries over the settings that must not hold while objects arrive. */
    void after(SourceGrants grants) throws InterruptedException {
        share(grants);
        AFTER.forEach(this::carry);
        for (String name : NEVER) {
            try {
                Optional<byte[]> found = read(source, pair.source(), name);
                if (found.isPresent() && !XmlTree.parse(found.get()).children().isEmpty()) {
                    problem(name, "it is not carried over: set it by hand");
                }
            } catch (IOException e) {
                problem(name, e.getMessage());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private void share(SourceGrants grants) throws InterruptedException {
        List<String> lost = new ArrayList<>();
        Map<String, String> headers = grants.ofBucket(lost);
        try {
            if (!headers.isEmpty()) {
                target.bytes(S3Request.of("PUT", pair.target()).with("acl", "").headers(headers));
            }
        } catch (IOException e) {
            lost.add("ACL: " + e.getMessage());
        }
        lost.forEach(each -> report.problem(new Problem(pair.target(), "", "", each)));
    }

    private void carry(String name) {
        try {
            Optional<byte[]> found = read(source, pair.source(), name);
            if (found.isPresent() && isSet(name, found.get())) {
                write(name, found.get());
            }
        } catch (IOException e) {
            problem(name, e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static boolean isSet(String name, byte[] document) throws IOException {
        return !name.equals(VERSIONING) || !XmlTree.parse(document).text("Status").isEmpty();
    }

    private void problem(String name, String what) {
        report.problem(new Problem(pair.target(), "", "", name + ": " + what));
    }

    /** Returns a setting; empty if it is not set, or the server does not have it. */
    private static Optional<byte[]> read(S3Client client, String bucket, String name)
            throws IOException, InterruptedException {
        try {
            return client.find(S3Request.of("GET", bucket).with(name, ""));
        } catch (S3Error e) {
            if (e.status() == 501 || e.code().equals("InvalidBucketState")) {
                return Optional.empty();
            }
            throw e;
        }
    }

    private void write(String name, byte[] document) throws IOException, InterruptedException {
        target.bytes(
                S3Request.of("PUT", pair.target())
                        .with(name, "")
                        .header("content-md5", S3Body.md5(document))
                        .body(S3Body.of(document)));
    }
}
