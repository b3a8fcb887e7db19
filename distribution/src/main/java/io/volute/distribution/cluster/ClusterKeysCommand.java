package io.volute.distribution.cluster;

import io.volute.admin.grammar.Example;
import io.volute.server.Wiring;
import io.volute.server.startup.MasterKeys;
import io.volute.storage.io.DurableDirectories;
import io.volute.storage.io.DurableFile;
import io.volute.storage.io.FileSystem;
import io.volute.storage.io.OsFileSystem;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Makes the secrets of a new cluster. Secrets that exist stay. */
@Wiring
@Example(
        value = "volute cluster keys /etc/volute/cluster",
        does = "Make the secrets, to be copied to each node.")
@Command(
        name = "keys",
        mixinStandardHelpOptions = true,
        description = {
            "Makes the secrets that all nodes of a new cluster share: the master key and the"
                    + " secret of requests between nodes.",
            "Prints the settings that name them. Files that exist stay as they are."
        },
        exitCodeListHeading = "Exit codes:%n",
        exitCodeList = {"0:the secrets are there", "1:they cannot be written", "2:wrong usage"})
final class ClusterKeysCommand implements Callable<Integer> {
    private static final int SECRET_BYTES = 32;

    @Spec private CommandSpec spec;

    @Parameters(
            paramLabel = "DIR",
            description = "Directory for the files; made if it does not exist.")
    private Path directory;

    @Override
    public Integer call() {
        Path to = directory.toAbsolutePath().normalize();
        Path key = to.resolve("provenance.key");
        Path secret = to.resolve("cluster.secret");
        FileSystem files = new OsFileSystem();
        SecureRandom random = new SecureRandom();
        try {
            DurableDirectories.create(files, to);
            if (!Files.exists(key)) {
                MasterKeys.create(files, key, random);
            }
            if (!Files.exists(secret)) {
                writeSecret(files, secret, random);
            }
        } catch (IOException e) {
            spec.commandLine().getErr().println("volute: " + e.getMessage());
            return 1;
        }
        spec.commandLine().getOut().println("provenance.master-key = \"" + key + "\"");
        spec.commandLine().getOut().println("cluster.secret-file = \"" + secret + "\"");
        return 0;
    }

    private static void writeSecret(FileSystem files, Path file, SecureRandom random)
            throws IOException {
        byte[] bytes = new byte[SECRET_BYTES];
        random.nextBytes(bytes);
        String text = HexFormat.of().formatHex(bytes) + "\n";
        DurableFile.create(
                files,
                file,
                DurableFile.Readers.OWNER,
                out -> out.write(text.getBytes(StandardCharsets.US_ASCII)),
                random);
    }
}
