package io.volute.provenance.keys;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.provenance.format.Bytes;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class MasterKeyFileTest {
    /** The bytes 0x40 to 0x5f; base64 and checksum computed elsewhere. */
    private static final String LINE =
            "volute-master-key-1 QEFCQ0RFRkdISUpLTE1OT1BRUlNUVVZXWFlaW1xdXl8= 997c2cd2a80d65ca";

    @TempDir private Path directory;
    private Path file;

    @BeforeEach
    void place() {
        file = directory.resolve("master.key");
    }

    /** Two keys are the same when this is. */
    private static Bytes fingerprint(MasterKey key) {
        return key.encrypt(Bytes.of(new byte[12]), Bytes.EMPTY, Bytes.of("plain"));
    }

    private static MasterKey create(Path file, SecureRandom random) throws IOException {
        return MasterKey.create(
                random,
                text -> {
                    Files.writeString(file, text, StandardOpenOption.CREATE_NEW);
                    mode(file, "rw-------");
                });
    }

    private static void mode(Path file, String mode) throws IOException {
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(mode));
    }

    private void write(byte[] content) throws IOException {
        Files.write(file, content);
        mode(file, "rw-------");
    }

    private void write(String content) throws IOException {
        write(content.getBytes(StandardCharsets.ISO_8859_1));
    }

    private List<String> names() throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(each -> each.getFileName().toString()).sorted().toList();
        }
    }

    /** Verifies that a file with more content is rejected, even if its beginning is a valid key. */
    @Test
    void aFileWithMoreInItIsNotTheKeys() throws IOException {
        write(LINE + "\n".repeat(256 - LINE.length()));
        assertThat(MasterKey.ofFile(file)).isNotNull();
        write(LINE + "\n".repeat(257 - LINE.length()));
        assertThatThrownBy(() -> MasterKey.ofFile(file))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("is longer than 256 bytes");
    }

    @Test
    void oneLineHoldsTheKey() throws IOException {
        MasterKey made = create(file, new Counting(0x40));
        assertThat(file).hasContent(LINE + "\n");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
        assertThat(names()).containsExactly("master.key");
        assertThat(fingerprint(MasterKey.ofFile(file))).isEqualTo(fingerprint(made));
        assertThat(made).hasToString("master key");
    }

    @Test
    void eachFileHasAnotherKey() throws IOException {
        SecureRandom random = new SecureRandom();
        MasterKey one = create(file, random);
        MasterKey other = create(directory.resolve("other.key"), random);
        assertThat(fingerprint(one)).isNotEqualTo(fingerprint(other));
    }

    @ParameterizedTest
    @ValueSource(strings = {"rw-r-----", "rw----r--", "rw-r--r--", "rw--w----", "rw-----w-"})
    void whatOthersMayReadOrWriteIsRefused(String mode) throws IOException {
        write(LINE);
        mode(file, mode);
        assertThatThrownBy(() -> MasterKey.ofFile(file))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(mode)
                .hasMessageEndingWith("run: chmod 600 " + file);
    }

    @ParameterizedTest
    @ValueSource(strings = {"r--------", "rw-------"})
    void whatOnlyItsOwnerMayReadIsTaken(String mode) throws IOException {
        write(LINE);
        mode(file, mode);
        assertThat(MasterKey.ofFile(file)).isNotNull();
    }

    @ParameterizedTest
    @CsvSource({
        "rw-r-----, root, volute, true",
        "r--r-----, 0, ?, true",
        "rw-r-----, root, root, false",
        "rw-r-----, volute, volute, false",
        "rw-rw----, root, volute, false",
        "rw-r--r--, root, volute, false"
    })
    void theGroupMayReadAFileOfRoot(String mode, String owner, String user, boolean isRight) {
        PrivateFile secret = new PrivateFile("the secret", file);
        ThrowingCallable check =
                () -> secret.checkReaders(PosixFilePermissions.fromString(mode), owner, user);
        if (isRight) {
            assertThatCode(check).doesNotThrowAnyException();
        } else {
            assertThatThrownBy(check).hasMessageContaining("chmod 600");
        }
    }

    @Test
    void aSymbolicLinkIsJudgedByWhatItLeadsTo() throws IOException {
        write(LINE);
        Path link = Files.createSymbolicLink(directory.resolve("link"), file);
        assertThat(MasterKey.ofFile(link)).isNotNull();
        mode(file, "rw-r--r--");
        assertThatThrownBy(() -> MasterKey.ofFile(link)).hasMessageContaining("chmod 600");
    }

    @Test
    void anyFlippedBitIsRefused() throws IOException {
        byte[] line = LINE.getBytes(StandardCharsets.US_ASCII);
        for (int bit = 0; bit < line.length * 8; bit++) {
            line[bit >> 3] ^= (byte) (1 << (bit & 7));
            write(line);
            assertThatThrownBy(() -> MasterKey.ofFile(file))
                    .as("bit %d", bit)
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("is damaged")
                    .hasMessageContaining("put back a copy")
                    .hasMessageNotContaining("FRkdISUpL")
                    .hasNoCause();
            line[bit >> 3] ^= (byte) (1 << (bit & 7));
        }
    }

    @Test
    void anyPieceIsRefused() throws IOException {
        for (int length = 0; length < LINE.length(); length++) {
            write(LINE.substring(0, length));
            assertThatThrownBy(() -> MasterKey.ofFile(file)).hasMessageContaining("is damaged");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "volute-master-key-2 QEFCQ0RFRkdISUpLTE1OT1BRUlNUVVZXWFlaW1xdXl8= 997c2cd2a80d65ca",
                "volute-master-key-1 QEFCQ0RFRkdISUpLTE1OT1BRUlNUVVZXWFlaW1xdXl8 997c2cd2a80d65ca",
                "volute-master-key-1 QEFCQ0RFRkdISUpLTE1OT1BRUlNUVVZXWFlaW1xdXl9= 997c2cd2a80d65ca",
                "volute-master-key-1 QEFC 997c2cd2a80d65ca",
                "volute-master-key-1  997c2cd2a80d65ca",
                " " + LINE,
                LINE + " more",
                LINE + "\n" + LINE,
            })
    void thereIsOneWayToWriteAKey(String content) throws IOException {
        write(content);
        assertThatThrownBy(() -> MasterKey.ofFile(file)).hasMessageContaining("is damaged");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "\n", "\r\n"})
    void theEndOfTheLineIsNoPartOfIt(String end) throws IOException {
        write(LINE + end);
        assertThat(MasterKey.ofFile(file)).isNotNull();
    }

    @Test
    void aMissingFileIsNotMade() throws IOException {
        assertThatThrownBy(() -> MasterKey.ofFile(file))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(file + " is missing; put back a copy");
        assertThat(names()).isEmpty();
    }

    @Test
    void aDirectoryIsNoKey() {
        assertThatThrownBy(() -> MasterKey.ofFile(directory))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("is no regular file");
    }

    @Test
    void whereFilesHaveNoModesThereIsNoKey() throws IOException {
        Path zip = directory.resolve("files.zip");
        try (FileSystem flat = FileSystems.newFileSystem(zip, Map.of("create", "true"))) {
            Path inside = flat.getPath("/master.key");
            assertThatThrownBy(() -> new PrivateFile("the file", inside).checkPlace())
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("no POSIX permissions");
            Files.writeString(inside, LINE);
            assertThatThrownBy(() -> MasterKey.ofFile(inside))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("no POSIX permissions");
        }
    }
}
