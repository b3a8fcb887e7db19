package io.volute.system.identity;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.system.ExternalClient;
import io.volute.system.ServerProcess;
import io.volute.system.TemporaryStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The AWS CLI manages users, roles and policies by IAM's API, and they use S3. */
class IamIT {
    private static final String READING =
            "{\"Version\":\"2012-10-17\",\"Statement\":[{\"Effect\":\"Allow\","
                    + "\"Action\":[\"s3:GetObject\",\"s3:ListBucket\"],"
                    + "\"Resource\":[\"arn:aws:s3:::shared\",\"arn:aws:s3:::shared/*\"]}]}";

    private static final String[] LISTING = {"s3api", "list-objects", "--bucket", "shared"};

    private static ExternalClient aws(Path directory, ServerProcess server) throws IOException {
        return ExternalClient.orSkip(directory, List.of("aws"), "--version")
                .with("AWS_ENDPOINT_URL", server.endpoint().toString());
    }

    private static ExternalClient aws(Path directory, ServerProcess server, List<String> keys)
            throws IOException {
        ExternalClient aws =
                aws(directory, server)
                        .with("AWS_ACCESS_KEY_ID", keys.get(0))
                        .with("AWS_SECRET_ACCESS_KEY", keys.get(1));
        return keys.size() < 3 ? aws : aws.with("AWS_SESSION_TOKEN", keys.get(2));
    }

    /** Runs a command and returns the values that a query selects. */
    private static List<String> values(ExternalClient aws, String query, String... command)
            throws IOException {
        List<String> all = new ArrayList<>(List.of(command));
        all.addAll(List.of("--query", query, "--output", "text"));
        return List.of(aws.run(all.toArray(String[]::new)).orFail().strip().split("\\s+"));
    }

    private static void denied(ExternalClient aws, String... command) throws IOException {
        ExternalClient.Result result = aws.run(command);
        assertThat(result.code()).isNotZero();
        assertThat(result.output()).contains("AccessDenied");
    }

    @Test
    void usersAndRolesAreManagedByTheAwsCli() throws IOException {
        try (TemporaryStore work = TemporaryStore.create("iam")) {
            Files.writeString(work.path().resolve("policy.json"), READING);
            Files.writeString(work.path().resolve("object"), "content");
            List<String> keys;
            String policy;
            try (ServerProcess server = ServerProcess.start(work)) {
                ExternalClient root = aws(work.path(), server);
                root.run("s3", "mb", "s3://shared").orFail();
                root.run("s3", "cp", "object", "s3://shared/object").orFail();
                root.run("iam", "create-user", "--user-name", "carol", "--path", "/team/").orFail();
                keys = keys(root);
                policy = policy(root);
                denied(aws(work.path(), server, keys), LISTING);
                root.run(change("attach-user-policy", policy)).orFail();
                reads(aws(work.path(), server, keys));
                denied(aws(work.path(), server, keys), "iam", "list-users");
            }
            try (ServerProcess server = ServerProcess.start(work)) {
                ExternalClient root = aws(work.path(), server);
                assertThat(root.run("iam", "list-users").orFail()).contains("user/team/carol");
                reads(aws(work.path(), server, keys));
                role(work.path(), server, root, keys, policy);
                root.run(change("detach-user-policy", policy)).orFail();
                denied(aws(work.path(), server, keys), LISTING);
                remove(root, keys, policy);
                assertThat(aws(work.path(), server, keys).run("s3", "ls").output())
                        .contains("InvalidAccessKeyId");
            }
        }
    }

    private static List<String> keys(ExternalClient root) throws IOException {
        return values(
                root,
                "AccessKey.[AccessKeyId,SecretAccessKey]",
                "iam",
                "create-access-key",
                "--user-name",
                "carol");
    }

    private static String policy(ExternalClient root) throws IOException {
        return values(
                        root,
                        "Policy.Arn",
                        "iam",
                        "create-policy",
                        "--policy-name",
                        "reading",
                        "--policy-document",
                        "file://policy.json")
                .getFirst();
    }

    private static String[] change(String command, String policy) {
        return new String[] {"iam", command, "--user-name", "carol", "--policy-arn", policy};
    }

    private static void reads(ExternalClient user) throws IOException {
        assertThat(user.run("s3", "cp", "s3://shared/object", "-").orFail()).contains("content");
        denied(user, "s3", "cp", "object", "s3://shared/other");
    }

    /** A role with the same policy, which carol may assume. */
    private static void role(
            Path directory,
            ServerProcess server,
            ExternalClient root,
            List<String> keys,
            String policy)
            throws IOException {
        Files.writeString(
                directory.resolve("trust.json"),
                "{\"Version\":\"2012-10-17\",\"Statement\":[{\"Effect\":\"Allow\","
                        + "\"Action\":\"sts:AssumeRole\",\"Principal\":"
                        + "{\"AWS\":\"arn:aws:iam::000000000000:user/team/carol\"}}]}");
        String arn =
                values(
                                root,
                                "Role.Arn",
                                "iam",
                                "create-role",
                                "--role-name",
                                "reader",
                                "--path",
                                "/jobs/",
                                "--assume-role-policy-document",
                                "file://trust.json")
                        .getFirst();
        root.run("iam", "attach-role-policy", "--role-name", "reader", "--policy-arn", policy)
                .orFail();
        List<String> session =
                values(
                        aws(directory, server, keys),
                        "Credentials.[AccessKeyId,SecretAccessKey,SessionToken]",
                        "sts",
                        "assume-role",
                        "--role-arn",
                        arn,
                        "--role-session-name",
                        "nightly");
        reads(aws(directory, server, session));
    }

    private static void remove(ExternalClient root, List<String> keys, String policy)
            throws IOException {
        String[] user = {"iam", "delete-user", "--user-name", "carol"};
        assertThat(root.run(user).output()).contains("DeleteConflict");
        root.run(
                        "iam",
                        "delete-access-key",
                        "--user-name",
                        "carol",
                        "--access-key-id",
                        keys.getFirst())
                .orFail();
        root.run(user).orFail();
        root.run("iam", "detach-role-policy", "--role-name", "reader", "--policy-arn", policy)
                .orFail();
        root.run("iam", "delete-role", "--role-name", "reader").orFail();
        root.run("iam", "delete-policy", "--policy-arn", policy).orFail();
        assertThat(root.run("iam", "list-policies", "--scope", "Local").orFail())
                .doesNotContain("reading");
    }
}
