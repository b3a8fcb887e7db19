package io.volute.server.notification;

import io.volute.server.config.targets.TargetConfig;
import io.volute.server.s3.notification.EventMessage;
import io.volute.storage.io.FileSystem;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * A file with one line for each message. The file is forced before the messages count as delivered.
 * A full file is renamed; nothing removes the renamed ones.
 */
final class FileTarget implements Target {
    private static final String PERMISSIONS = "rw-r-----";
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("uuuuMMdd'T'HHmmss'Z'", Locale.ROOT)
                    .withZone(ZoneOffset.UTC);

    private final Path file;
    private final long bytesMax;
    private final FileSystem files;
    private final InstantSource clock;

    FileTarget(TargetConfig.File config, FileSystem files, InstantSource clock) {
        this.files = files;
        this.file = config.path();
        this.bytesMax = config.rotateBytes();
        this.clock = clock;
    }

    @Override
    public synchronized Sent send(List<EventMessage> messages) {
        try {
            append(messages);
            return Sent.all(messages.size(), Optional.empty());
        } catch (IOException e) {
            return Sent.all(
                    messages.size(), Optional.of(new IOException(file + ": " + e.getMessage(), e)));
        }
    }

    private void append(List<EventMessage> messages) throws IOException {
        ByteArrayOutputStream lines = new ByteArrayOutputStream();
        if (endsWithinALine()) {
            // A failed write, or a crash, has left a piece of a line.
            lines.write('\n');
        }
        for (EventMessage each : messages) {
            lines.writeBytes(each.document());
            lines.write('\n');
        }
        create();
        // Written through: the outbox forgets the messages next.
        try (OutputStream out =
                Files.newOutputStream(file, StandardOpenOption.APPEND, StandardOpenOption.DSYNC)) {
            lines.writeTo(out);
        }
        if (Files.size(file) >= bytesMax) {
            rotate();
        }
    }

    private void create() throws IOException {
        if (!Files.exists(file)) {
            try {
                Files.createFile(
                        file,
                        PosixFilePermissions.asFileAttribute(
                                PosixFilePermissions.fromString(PERMISSIONS)));
                files.forceDirectory(file.getParent());
            } catch (FileAlreadyExistsException e) {
                // Another process made it meanwhile; it is as good.
            }
        }
    }

    private boolean endsWithinALine() throws IOException {
        if (!Files.exists(file) || Files.size(file) == 0) {
            return false;
        }
        try (InputStream read = Files.newInputStream(file)) {
            read.skipNBytes(Files.size(file) - 1);
            return read.read() != '\n';
        }
    }

    private void rotate() throws IOException {
        String name = file.getFileName() + "." + TIME.format(clock.instant());
        Path full = file.resolveSibling(name);
        for (int i = 1; Files.exists(full); i++) {
            full = file.resolveSibling(name + "-" + i);
        }
        Files.move(file, full);
        files.forceDirectory(file.getParent());
    }

    @Override
    public void close() {
        // Nothing stays open between two calls.
    }
}
