package io.volute.admin.demo;

import io.volute.admin.client.AdminClient;
import io.volute.admin.client.ServerOptions;
import io.volute.admin.s3.S3Body;
import io.volute.admin.s3.S3Client;
import io.volute.admin.s3.S3Request;
import io.volute.admin.s3.XmlTree;
import io.volute.adminapi.IdentityApi.Name;
import io.volute.adminapi.IdentityApi.NewKey;
import io.volute.adminapi.IdentityApi.ProvisionRequest;
import io.volute.adminapi.IdentityApi.User;
import io.volute.adminapi.Routes;
import io.volute.adminapi.signing.RequestSigner;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** The bucket of the demonstration and its two users. */
final class DemoBucket {
    private static final String REPORT = "report.txt";
    private static final String PLAN = "plan.txt";
    private static final String IDEAS = "notes/ideas.txt";
    private static final String DRAFT = "notes/draft.txt";

    /** Marks the bucket, so that no other one is removed. */
    private static final String MARK = "made-by";

    private static final String MARK_VALUE = "volute-demo";

    private final ServerOptions server;
    private final AdminClient admin;
    private final String bucket;

    DemoBucket(ServerOptions server, AdminClient admin, String bucket) {
        this.server = server;
        this.admin = admin;
        this.bucket = bucket;
    }

    /**
     * What happened.
     *
     * @param before whole second between the writes of the owner and the theft
     */
    record Story(String bucket, String owner, String victim, String stolenKey, Instant before) {}

    private String owner() {
        return bucket + "-anna";
    }

    private String victim() {
        return bucket + "-backup";
    }

    private String removal() {
        return server.command("demo", bucket, "--remove");
    }

    /**
     * Makes the bucket, its users and its history.
     *
     * @throws IOException if the bucket exists; also if something fails, with the command that
     *     removes the unfinished bucket
     */
    Story make() throws IOException, InterruptedException {
        try (S3Client root = S3Client.of(server)) {
            if (root.find(S3Request.of("HEAD", bucket)).isPresent()) {
                throw new IOException(
                        "there is a bucket "
                                + bucket
                                + ". If it is from an earlier demo: "
                                + removal()
                                + ". Or name another one: volute demo BUCKET");
            }
            root.bytes(S3Request.of("PUT", bucket));
            mark(root);
            try {
                return play(root);
            } catch (IOException e) {
                throw new IOException(
                        e.getMessage() + ". Remove the parts made so far: " + removal(), e);
            }
        }
    }

    private void mark(S3Client root) throws IOException, InterruptedException {
        put(
                root,
                "tagging",
                "<Tagging><TagSet><Tag><Key>"
                        + MARK
                        + "</Key><Value>"
                        + MARK_VALUE
                        + "</Value></Tag></TagSet></Tagging>");
    }

    private void put(S3Client root, String what, String document)
            throws IOException, InterruptedException {
        byte[] bytes = document.getBytes(StandardCharsets.UTF_8);
        root.bytes(
                S3Request.of("PUT", bucket)
                        .with(what, "")
                        .header("content-md5", S3Body.md5(bytes))
                        .body(document));
    }

    private Story play(S3Client root) throws IOException, InterruptedException {
        put(
                root,
                "versioning",
                "<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>");
        NewKey owner = provision(owner());
        NewKey victim = provision(victim());
        try (S3Client anna = client(owner)) {
            write(anna, REPORT, "Quarterly report, first draft");
            write(anna, REPORT, "Quarterly report, second draft: sales rose by 4 %");
            write(anna, REPORT, "Quarterly report, final: sales rose by 7 %");
            write(anna, PLAN, "1. Try Volute. 2. Undo a theft.");
            write(anna, IDEAS, "Look at the past of a bucket.");
            write(anna, DRAFT, "This draft is no longer needed.");
            anna.bytes(S3Request.of("DELETE", bucket, DRAFT));
        }
        Instant before = nextSecond();
        try (S3Client thief = client(victim)) {
            write(thief, REPORT, "Your data are gone. Pay, or they stay so.");
            write(thief, IDEAS, "Your data are gone. Pay, or they stay so.");
            thief.bytes(S3Request.of("DELETE", bucket, PLAN));
            write(thief, "PAY-ME.txt", "Send one coin to an unknown address.");
        }
        return new Story(bucket, owner(), victim(), victim.accessKey(), before);
    }

    private NewKey provision(String user) throws IOException, InterruptedException {
        return admin.ask(
                        Routes.PROVISION_USER,
                        new ProvisionRequest(user, "readwrite", Optional.of(bucket)))
                .value();
    }

    private S3Client client(NewKey key) throws IOException {
        String region = server.signer().region();
        return S3Client.of(server, new RequestSigner(key.accessKey(), key.secretKey(), region));
    }

    private void write(S3Client client, String key, String text)
            throws IOException, InterruptedException {
        client.bytes(
                S3Request.of("PUT", bucket, key)
                        .header("content-type", "text/plain; charset=utf-8")
                        .body(text + "\n"));
    }

    /** Returns a whole second after all earlier requests and before all later ones. */
    private Instant nextSecond() throws IOException, InterruptedException {
        Instant next = admin.serverTime().plusSeconds(1);
        while (!admin.serverTime().isAfter(next)) {
            server.context().pause().pass();
        }
        return next;
    }

    /** Removes the bucket with all versions, and its users. */
    void remove() throws IOException, InterruptedException {
        try (S3Client root = S3Client.of(server)) {
            requireMark(root);
            removeUsers();
            boolean isMore = true;
            while (isMore) {
                XmlTree page = root.xml(S3Request.of("GET", bucket).with("versions", ""));
                for (XmlTree each : page.children()) {
                    if (each.name().equals("Version") || each.name().equals("DeleteMarker")) {
                        root.bytes(
                                S3Request.of("DELETE", bucket, each.text("Key"))
                                        .with("versionId", each.text("VersionId")));
                    }
                }
                isMore = page.text("IsTruncated").equals("true");
            }
            root.bytes(S3Request.of("DELETE", bucket));
        }
    }

    private void removeUsers() throws IOException, InterruptedException {
        List<String> users = admin.all(Routes.LIST_USERS).stream().map(User::name).toList();
        for (String user : List.of(owner(), victim())) {
            if (users.contains(user)) {
                admin.ask(Routes.DELETE_USER, new Name(user));
            }
        }
    }

    private void requireMark(S3Client root) throws IOException, InterruptedException {
        Optional<byte[]> tags = root.find(S3Request.of("GET", bucket).with("tagging", ""));
        boolean isOurs =
                tags.isPresent()
                        && XmlTree.parse(tags.get()).children("TagSet").stream()
                                .flatMap(set -> set.children("Tag").stream())
                                .anyMatch(
                                        tag ->
                                                tag.text("Key").equals(MARK)
                                                        && tag.text("Value").equals(MARK_VALUE));
        if (!isOurs) {
            throw new IOException(
                    "bucket "
                            + bucket
                            + " is not there, or volute demo has not made it: its tag "
                            + MARK
                            + " is not "
                            + MARK_VALUE);
        }
    }
}
