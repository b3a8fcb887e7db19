package io.volute.admin;

import io.volute.admin.Table.Column;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;

/** Shows the entries of a key. */
@Command(
        name = "show",
        mixinStandardHelpOptions = true,
        description = "Shows the entries of a key, the oldest first; nothing is verified.",
        exitCodeListHeading = "Exit codes:%n",
        exitCodeList = {"0:shown", "1:the server cannot be reached or refused", "2:wrong usage"})
final class ProvenanceShowCommand implements Callable<Integer> {
    @ParentCommand private ProvenanceCommand provenance;

    @Mixin private ListOptions list;

    @Parameters(
            paramLabel = "s3://BUCKET/KEY",
            converter = S3Uri.Converter.class,
            description = "The key; its bucket may be deleted by now.")
    private S3Uri key;

    @Override
    public Integer call() throws InterruptedException {
        Table table =
                new Table(
                        new Column("ENTRY", entry -> Shown.text(entry, "sequence")),
                        new Column("TIME", entry -> Shown.text(entry, "time")),
                        new Column("KIND", entry -> Shown.text(entry, "kind")),
                        new Column("VERSION ID", entry -> Shown.text(entry, "versionId")),
                        new Column("BY", entry -> field(Shown.map(entry, "principal"))),
                        new Column("CONTENT", entry -> brief(Shown.text(entry, "content"))),
                        new Column("LINK", entry -> brief(Shown.text(entry, "link"))),
                        new Column("DETAILS", ProvenanceShowCommand::details));
        return list.show(
                provenance.server(),
                ProvenanceCommand.PATH + "entries",
                Map.of("bucket", key.bucket(), "key", key.key()),
                "entries",
                table);
    }

    private static String field(Map<String, Object> field) {
        return field.containsKey("text")
                ? Shown.text(field, "text")
                : Shown.text(field, "form") + " " + brief(Shown.text(field, "hex"));
    }

    private static String brief(String hex) {
        int digits = 16;
        return hex.length() <= digits ? hex : hex.substring(0, digits);
    }

    private static String details(Map<String, Object> entry) {
        List<Map<String, Object>> details = Shown.maps(entry, "details");
        return details.stream()
                .map(each -> Shown.text(each, "name") + "=" + field(each))
                .collect(Collectors.joining(", "));
    }
}
