package io.volute.server.accesslog;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;

/** A file that others may move away or remove: then one of the same name is begun. */
final class RotatedFile implements LineSink {
    /** The group may read logs, but others may not: lines contain access keys and names. */
    private static final String PERMISSIONS = "rw-r-----";

    private final Path file;
    private Optional<Opened> opened = Optional.empty();

    /** The open file, and its identity. */
    private record Opened(OutputStream out, Object identity) {}

    RotatedFile(Path file) {
        this.file = file;
    }

    @Override
    public void write(ByteBuffer lines) throws IOException {
        if (opened.isEmpty()) {
            open();
        }
        try {
            opened.orElseThrow().out().write(lines.array(), lines.position(), lines.remaining());
        } catch (IOException e) {
            // How much of it is there is not known; a line that was begun is ended with the next.
            close();
            throw e;
        }
    }

    @Override
    public void look() throws IOException {
        if (opened.isPresent() && !identity().equals(opened.map(Opened::identity))) {
            close();
        }
        if (opened.isEmpty()) {
            open();
        }
    }

    /** The identity is taken before and after, lest it be that of another file of this name. */
    private void open() throws IOException {
        make();
        Optional<Object> before = identity();
        OutputStream out = Files.newOutputStream(file, StandardOpenOption.APPEND);
        try {
            if (before.isEmpty() || !before.equals(identity())) {
                throw new IOException("it was moved while it was opened");
            }
            if (endsWithinALine()) {
                out.write('\n');
            }
        } catch (IOException e) {
            out.close();
            throw e;
        }
        opened = Optional.of(new Opened(out, before.get()));
    }

    private void make() throws IOException {
        if (!Files.exists(file)) {
            try {
                Files.createFile(
                        file,
                        PosixFilePermissions.asFileAttribute(
                                PosixFilePermissions.fromString(PERMISSIONS)));
            } catch (FileAlreadyExistsException e) {
                // Another process, such as logrotate, made the file meanwhile; it is as good.
            }
        }
    }

    private Optional<Object> identity() throws IOException {
        try {
            return Optional.of(Files.readAttributes(file, BasicFileAttributes.class).fileKey());
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
    }

    private boolean endsWithinALine() throws IOException {
        long bytes = Files.isRegularFile(file) ? Files.size(file) : 0;
        if (bytes == 0) {
            return false;
        }
        try (InputStream read = Files.newInputStream(file)) {
            read.skipNBytes(bytes - 1);
            return read.read() != '\n';
        }
    }

    @Override
    public void close() {
        Optional<Opened> last = opened;
        opened = Optional.empty();
        try {
            if (last.isPresent()) {
                last.get().out().close();
            }
        } catch (IOException e) {
            // Nothing is buffered here: the operating system has all written bytes.
        }
    }

    @Override
    public String toString() {
        return file.toString();
    }
}
