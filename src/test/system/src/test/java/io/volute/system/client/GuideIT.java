package io.volute.system.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.system.ExternalClient;
import io.volute.system.ServerProcess;
import io.volute.system.TemporaryStore;
import io.volute.system.VoluteJvm;
import io.volute.testing.GuidePage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * Pastes the commands of the front page and of pages of the guide into a shell, one page after the
 * other, against one server. Each command must succeed. A test prepares the objects and files that
 * a page takes for granted, and puts its own values in place of addresses, instants and secrets.
 * {@code TheftIT} has the theft of undo-a-theft.md with sessions, conflicts and derived objects.
 */
class GuideIT {
    /** Programs whose blocks are run. */
    private static final Set<String> RUN =
            Set.of("volute", "./volute", "aws", "curl", "export", "echo", "diff");

    /** Words that begin blocks of configuration and output. All other blocks need a mark. */
    private static final String NO_PROGRAM = "[^a-z./].*|[a-z][a-z.-]*=?|[A-Z].*";

    /**
     * A page, and what it takes for granted.
     *
     * @param before shell text that makes it, by a text of the block that needs it; an empty text
     *     is for the page
     * @param values texts of the page, and the values in their place
     */
    private record Walk(String page, Map<String, String> before, Map<String, String> values) {}

    private static Map<String, String> map(String... pairs) {
        Map<String, String> map = new LinkedHashMap<>();
        for (int i = 0; i < pairs.length; i += 2) {
            map.put(pairs[i], pairs[i + 1]);
        }
        return map;
    }

    private static List<Walk> walks(Path work) {
        String backup = work.resolve("backup").toString();
        return List.of(
                new Walk(
                        "../../README.md",
                        map(),
                        map("AWS_ACCESS_KEY_ID=... AWS_SECRET_ACCESS_KEY=... ", "")),
                // With one cube: an export is that of one.
                new Walk(
                        "audit.md",
                        map(
                                "--root-key ID",
                                """
                                id=$(volute provenance keys | sed -n 's/^root key:* *//p')
                                n=$(ls kept | sed -n 's/^heads-//p' | tail -n 1)
                                """),
                        map("--root-key ID", "--root-key $id", "-N", "-$n")),
                new Walk(
                        "access.md",
                        map(
                                "public/hello.txt",
                                "echo hello | aws s3 cp - s3://my-bucket/public/hello.txt\n",
                                "--grant-write id=bob",
                                "volute user add bob >/dev/null\n",
                                "policy put read-shared",
                                "cp read-shared.json policy.json\n",
                                "role-name jobs",
                                "volute role add jobs trust.json\n"),
                        map()),
                new Walk(
                        "time-travel.md",
                        map(
                                "",
                                """
                                aws s3 mb s3://photos
                                echo a | aws s3 cp - s3://photos/a.jpg
                                echo b | aws s3 cp - s3://photos/trip/b.jpg
                                at=none
                                until aws s3api head-object --bucket photos--at-$at \\
                                        --key trip/b.jpg >/dev/null 2>&1; do
                                    second=$(date -u +%Y-%m-%dT%H:%M:%S)
                                    at=$(echo ${second}z | tr T t | tr -d :-)
                                done
                                """),
                        map(
                                "20261120t140500z",
                                "$at",
                                "'x-volute-at: 2026-11-20T14:05:00.250Z'",
                                "\"x-volute-at: ${second}.000Z\"")),
                new Walk(
                        "undo-a-theft.md",
                        map(
                                "",
                                """
                                aws s3 mb s3://bucket
                                echo right | aws s3 cp - s3://bucket/a
                                echo report | aws s3 cp - s3://bucket/report
                                at=none
                                until aws s3api head-object --bucket bucket--at-$at \\
                                        --key report >/dev/null 2>&1; do
                                    at=$(date -u +%Y%m%dt%H%M%Sz)
                                done
                                volute user add thief --policy readwrite --bucket bucket > stolen
                                key=$(sed -n 's/^access key *//p' stolen)
                                secret=$(sed -n 's/^secret key *\\([^ ]*\\).*/\\1/p' stolen)
                                thief() {
                                    AWS_ACCESS_KEY_ID=$key AWS_SECRET_ACCESS_KEY=$secret aws "$@"
                                }
                                echo wrong | thief s3 cp - s3://bucket/a
                                echo junk | thief s3 cp - s3://bucket/taken/c
                                aws s3 cp s3://bucket/a - | aws s3 cp - s3://bucket/report
                                """,
                                // One way instead of the other, of which the page runs this one.
                                "--since -24h --dry-run",
                                """
                                volute restore bucket --before-taint s3://bucket/report \\
                                    --caused-by-access-key $key --dry-run
                                """,
                                "sync s3://bucket ",
                                "rm -rf before now\n"),
                        map("VU...", "$key", "20261120t140700z", "$at", "--skip", "--skip --yes")),
                new Walk(
                        "notifications.md",
                        map("put-bucket-notification", "aws s3 mb s3://pictures\n"),
                        map(
                                "orders:webhook",
                                "orders:file",
                                "--bucket photos",
                                "--bucket pictures")),
                new Walk(
                        "replicate.md",
                        map(
                                "put-bucket-replication",
                                """
                                aws s3 mb s3://copies
                                for each in pictures copies; do
                                    aws s3api put-bucket-versioning --bucket $each \\
                                        --versioning-configuration Status=Enabled
                                done
                                echo a | aws s3 cp - s3://pictures/in/a.jpg
                                """),
                        map(
                                "arn:volute:replication::vault:copies",
                                "arn:aws:s3:::copies",
                                "photos",
                                "pictures",
                                "start pictures",
                                "start pictures --wait")),
                new Walk("watch.md", map(), map()),
                new Walk(
                        "back-up.md",
                        map("--contents", "mkdir " + work.resolve("large-disk") + "\n"),
                        map(
                                "/mnt/backup/volute",
                                backup,
                                "/mnt/scratch",
                                work.resolve("large-disk").toString(),
                                "/mnt/safe/volute-keys",
                                work.resolve("data/keys").toString(),
                                "/srv/scratch",
                                work.resolve("scratch").toString())),
                new Walk(
                        "encrypt.md",
                        map(
                                "cp a.pdf",
                                "echo pdf > a.pdf\n",
                                "--bucket payroll",
                                "echo list > list.csv; aws s3 mb s3://payroll\n",
                                "volute shred",
                                "echo p | aws s3 cp - s3://photos/passport.jpg\n"),
                        map("s3://photos/passport.jpg  ", "s3://photos/passport.jpg --yes  ")),
                new Walk("cubes.md", map(), map()));
    }

    private static String first(String block) {
        String line = block.lines().filter(each -> !each.isBlank()).findFirst().orElse("");
        return line.strip().split("\\s")[0];
    }

    private static String script(Walk walk, List<String> report) throws IOException {
        GuidePage page = GuidePage.ofGuide(walk.page());
        StringBuilder script = new StringBuilder(walk.before().getOrDefault("", ""));
        for (GuidePage.Block block : page.blocks()) {
            String first = first(block.text());
            String place = walk.page() + ":" + block.line();
            if (block.notRun().isPresent()) {
                report.add(place + ": NOT RUN: " + block.notRun().get());
            } else if (RUN.contains(first)) {
                walk.before().entrySet().stream()
                        .filter(each -> !each.getKey().isEmpty())
                        .filter(each -> block.text().contains(each.getKey()))
                        .forEach(each -> script.append(each.getValue()));
                String text = block.text();
                for (Map.Entry<String, String> value : walk.values().entrySet()) {
                    text = text.replace(value.getKey(), value.getValue());
                }
                script.append("echo '== ").append(place).append("'\n").append(text).append('\n');
                report.add(place + ": run");
            } else {
                assertThat(first)
                        .as(place + ": mark a block that is not run: <!-- not run: REASON -->")
                        .matches(NO_PROGRAM);
            }
        }
        return script.toString();
    }

    private static void program(Path directory, String name, String text) throws IOException {
        Path file = directory.resolve(name);
        Files.writeString(file, text);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private static String quoted(String word) {
        return "'" + word.replace("'", "'\\''") + "'";
    }

    /** Writes the files that the pages show, and a command {@code volute}. */
    private static void prepare(Path work) throws IOException {
        UnaryOperator<String> trust =
                user ->
                        "{\"Version\": \"2012-10-17\", \"Statement\": {\"Effect\": \"Allow\","
                                + " \"Action\": \"sts:AssumeRole\", \"Principal\": {\"AWS\":"
                                + " \"arn:aws:iam::000000000000:user/"
                                + user
                                + "\"}}}";
        Files.writeString(work.resolve("trust.json"), trust.apply("carol"));
        for (GuidePage.Block block : GuidePage.ofGuide("access.md").blocks()) {
            if (block.text().contains("shared/home/${aws:username}")) {
                Files.writeString(work.resolve("read-shared.json"), block.text());
            }
            if (block.text().contains("iam:PermissionsBoundary")) {
                Files.writeString(work.resolve("edge.json"), block.text());
            }
        }
        String volute =
                VoluteJvm.command(List.of(VoluteJvm.QUICK, "-Xmx256m")).stream()
                        .map(GuideIT::quoted)
                        .collect(Collectors.joining(" "));
        program(work, "volute", "#!/bin/sh\nexec " + volute + " \"$@\"\n");
        Files.writeString(
                work.resolve("guide.conf"),
                "notifications.targets = [ { name = orders, type = file, path = \""
                        + work.resolve("events.jsonl")
                        + "\" } ]\n");
        // An answer that is an error fails.
        Files.writeString(work.resolve(".curlrc"), "fail\n");
    }

    @Test
    void everyCommandWorksAsItIsPrinted() throws IOException {
        try (TemporaryStore store = TemporaryStore.create("guide")) {
            Path work = store.path();
            ExternalClient aws = ExternalClient.orSkip(work, List.of("aws"), "--version");
            assertThat(aws.run("--version").code()).isZero();
            prepare(work);
            List<String> report = new ArrayList<>();
            try (ServerProcess server =
                    ServerProcess.start(
                            store,
                            Map.of(
                                    "VOLUTE_ENCRYPTION_KEYS",
                                    "reports",
                                    "VOLUTE_CONFIG",
                                    work.resolve("guide.conf").toString()))) {
                String endpoint = server.endpoint().toString();
                ExternalClient shell =
                        ExternalClient.orSkip(work, List.of("sh"), "-c", "exit 0")
                                .with("PATH", work + ":" + System.getenv("PATH"))
                                .with("CURL_HOME", work.toString())
                                .with("VOLUTE_ENDPOINT", endpoint)
                                .with("AWS_ENDPOINT_URL", endpoint);
                for (Walk walk : walks(work)) {
                    String script = script(walk, report).replace("http://127.0.0.1:9000", endpoint);
                    Path file = work.resolve("walk.sh");
                    Files.writeString(file, script);
                    ExternalClient.Result result = shell.run("-eu", file.toString());
                    assertThat(result.code())
                            .as(walk.page() + "\n" + result.output() + server.log())
                            .isZero();
                }
            }
            assertThat(work.resolve("events.jsonl")).content().contains("s3:TestEvent", "in/a.jpg");
            assertThat(work.resolve("now/a")).hasContent("right\n");
            report.forEach(line -> System.out.println("GuideIT " + line));
            assertThat(report).filteredOn(line -> line.endsWith(": run")).hasSizeGreaterThan(20);
        }
    }
}
