package io.volute.server.startup;

import io.volute.server.config.ServerConfig;
import io.volute.server.credentials.Credential;
import io.volute.server.credentials.RootCredentials.Root;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The lines that a start prints: where the server listens, how to sign in, and commands to try.
 *
 * @param s3 with the port really taken, as the others
 * @param admin empty where the admin API shares the address of S3
 * @param metrics empty where metrics are off
 */
public record Greeting(
        ServerConfig config,
        Root root,
        InetSocketAddress s3,
        Optional<InetSocketAddress> admin,
        Optional<InetSocketAddress> metrics) {

    public List<String> lines() {
        List<String> lines = new ArrayList<>();
        lines.add("Volute is ready on " + endpoint(s3));
        if (s3.getAddress().isAnyLocalAddress()) {
            lines.add(
                    "  reached on  every address of this machine or container, port "
                            + s3.getPort());
            lines.add("              from outside a container: the address that was published");
        }
        admin.ifPresent(own -> lines.add("  admin API   " + endpoint(own)));
        metrics.ifPresent(own -> lines.add("  metrics     " + endpoint(own) + "/metrics"));
        lines.add("  data        " + config.dataDirectory());
        lines.add("  access key  " + root.credential().accessKey());
        lines.addAll(secret());
        root.replaced()
                .ifPresent(
                        earlier -> {
                            lines.add(
                                    "  attention   root key "
                                            + earlier
                                            + " of earlier starts does not work now:");
                            lines.add(
                                    "              VOLUTE_ACCESS_KEY and VOLUTE_SECRET_KEY are not"
                                            + " set");
                        });
        return lines;
    }

    private List<String> secret() {
        Credential credential = root.credential();
        return switch (root.origin()) {
            case UNUSED -> {
                List<String> lines = new ArrayList<>();
                lines.add("  secret key  " + credential.secretKey());
                lines.add("              keep it: starts show it until its first use only");
                lines.addAll(trial("Try it, in another terminal:", credential.secretKey()));
                yield lines;
            }
            case STORED ->
                    List.of(
                            "  secret key  as the first start showed it",
                            "              lost it? stop the server, delete "
                                    + config.dataDirectory()
                                            .resolve("keys")
                                            .resolve("root.credential")
                                    + ",",
                            "              start again: a new pair is made, no data is lost");
            case ENVIRONMENT -> {
                List<String> lines = new ArrayList<>();
                lines.add("  secret key  from VOLUTE_SECRET_KEY");
                lines.addAll(
                        trial(
                                "Try it, in a shell that has VOLUTE_SECRET_KEY:",
                                "\"$VOLUTE_SECRET_KEY\""));
                yield lines;
            }
        };
    }

    /** Commands that work as they stand, in this order. */
    private List<String> trial(String title, String secret) {
        String aws = "  aws --endpoint-url " + endpoint(s3) + " s3 ";
        return List.of(
                title,
                "  export AWS_ACCESS_KEY_ID="
                        + root.credential().accessKey()
                        + " AWS_SECRET_ACCESS_KEY="
                        + secret
                        + " AWS_DEFAULT_REGION="
                        + config.protocol().region(),
                aws + "mb s3://my-bucket",
                "  echo hello | " + aws.strip() + " cp - s3://my-bucket/hello.txt",
                aws + "cp s3://my-bucket/hello.txt -");
    }

    private String endpoint(InetSocketAddress listening) {
        InetAddress address = listening.getAddress();
        String host =
                address.isAnyLocalAddress()
                        ? "localhost"
                        : address.getHostAddress().contains(":")
                                ? "[" + address.getHostAddress() + "]"
                                : address.getHostAddress();
        String scheme = config.http().tls().isPresent() ? "https" : "http";
        return scheme + "://" + host + ":" + listening.getPort();
    }
}
