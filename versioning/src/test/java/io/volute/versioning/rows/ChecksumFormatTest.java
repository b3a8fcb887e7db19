package io.volute.versioning.rows;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.versioning.value.ObjectAttributes.Algorithm;
import io.volute.versioning.value.ObjectAttributes.Checksum;
import io.volute.versioning.value.ObjectAttributes.Type;
import java.util.Base64;
import java.util.HexFormat;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ChecksumFormatTest {
    private static final HexFormat HEX = HexFormat.of();

    /** Ids and lengths of all algorithms, as they are on disk. */
    @ParameterizedTest
    @CsvSource({
        "CRC32,00,4",
        "CRC32C,01,4",
        "CRC64NVME,02,8",
        "SHA1,03,20",
        "SHA256,04,32",
        "SHA512,05,64",
        "MD5,06,16",
        "XXHASH64,07,8",
        "XXHASH3,08,8",
        "XXHASH128,09,16"
    })
    void golden(Algorithm algorithm, String id, int bytes) {
        byte[] raw = new byte[bytes];
        raw[bytes - 1] = 7;
        String text = Base64.getEncoder().encodeToString(raw);
        String value = HEX.formatHex(raw);
        assertGolden(new Checksum(algorithm, Type.FULL_OBJECT, text), id + "00" + value);
        String composite = "1" + id.charAt(1);
        assertGolden(
                new Checksum(algorithm, Type.COMPOSITE, text + "-3"), composite + "03" + value);
    }

    private static void assertGolden(Checksum checksum, String hex) {
        RowOutput output = new RowOutput();
        ChecksumFormat.write(output, checksum);
        byte[] written = output.toBytes();
        assertThat(HEX.formatHex(written)).isEqualTo(hex);
        assertThat(ChecksumFormat.read(new RowInput(written))).isEqualTo(checksum);
    }
}
