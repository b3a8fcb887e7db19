package io.volute.system.s3;

import static io.volute.system.Store.refused;
import static org.assertj.core.api.Assertions.assertThat;

import io.volute.system.Bytes;
import io.volute.system.SharedServer;
import io.volute.system.Store;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.zip.CRC32;
import java.util.zip.CRC32C;
import java.util.zip.Checksum;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.crt.checksums.XXHash;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.ChecksumAlgorithm;
import software.amazon.awssdk.services.s3.model.ChecksumMode;
import software.amazon.awssdk.services.s3.model.ChecksumType;
import software.amazon.awssdk.services.s3.model.CompletedPart;
import software.amazon.awssdk.services.s3.model.HeadObjectResponse;
import software.amazon.awssdk.services.s3.model.UploadPartResponse;

@ExtendWith(SharedServer.class)
class ChecksumIT {
    /** The families that the SDK computes; of MD5 it only takes what is known. */
    private enum Family {
        CRC32,
        CRC32C,
        CRC64NVME,
        SHA1,
        SHA256,
        SHA512,
        XXHASH64,
        XXHASH3,
        XXHASH128;

        ChecksumAlgorithm algorithm() {
            return switch (this) {
                case CRC32 -> ChecksumAlgorithm.CRC32;
                case CRC32C -> ChecksumAlgorithm.CRC32_C;
                case CRC64NVME -> ChecksumAlgorithm.CRC64_NVME;
                case SHA1 -> ChecksumAlgorithm.SHA1;
                case SHA256 -> ChecksumAlgorithm.SHA256;
                case SHA512 -> ChecksumAlgorithm.SHA512;
                case XXHASH64 -> ChecksumAlgorithm.XXHASH64;
                case XXHASH3 -> ChecksumAlgorithm.XXHASH3;
                case XXHASH128 -> ChecksumAlgorithm.XXHASH128;
            };
        }

        String of(byte[] body) {
            byte[] value =
                    switch (this) {
                        case CRC32 -> crc(new CRC32(), body);
                        case CRC32C -> crc(new CRC32C(), body);
                        case CRC64NVME -> ByteBuffer.allocate(8).putLong(crc64nvme(body)).array();
                        case SHA1 -> Bytes.digest("SHA-1", body);
                        case SHA256 -> Bytes.digest("SHA-256", body);
                        case SHA512 -> Bytes.digest("SHA-512", body);
                        case XXHASH64 -> XXHash.computeXXHash64(body);
                        case XXHASH3 -> XXHash.computeXXHash3_64(body);
                        case XXHASH128 -> XXHash.computeXXHash3_128(body);
                    };
            return Base64.getEncoder().encodeToString(value);
        }

        private static byte[] crc(Checksum crc, byte[] body) {
            crc.update(body);
            return ByteBuffer.allocate(4).putInt((int) crc.getValue()).array();
        }

        /** Bit by bit from the polynomial's definition, so that it shares no code with anyone. */
        private static long crc64nvme(byte[] body) {
            long crc = ~0L;
            for (byte each : body) {
                crc ^= each & 0xFF;
                for (int bit = 0; bit < 8; bit++) {
                    crc = (crc & 1) == 0 ? crc >>> 1 : (crc >>> 1) ^ 0x9A6C9329AC4BC9B5L;
                }
            }
            return ~crc;
        }

        String in(HeadObjectResponse head) {
            return switch (this) {
                case CRC32 -> head.checksumCRC32();
                case CRC32C -> head.checksumCRC32C();
                case CRC64NVME -> head.checksumCRC64NVME();
                case SHA1 -> head.checksumSHA1();
                case SHA256 -> head.checksumSHA256();
                case SHA512 -> head.checksumSHA512();
                case XXHASH64 -> head.checksumXXHASH64();
                case XXHASH3 -> head.checksumXXHASH3();
                case XXHASH128 -> head.checksumXXHASH128();
            };
        }

        String in(UploadPartResponse part) {
            return switch (this) {
                case CRC32 -> part.checksumCRC32();
                case CRC32C -> part.checksumCRC32C();
                case CRC64NVME -> part.checksumCRC64NVME();
                case SHA1 -> part.checksumSHA1();
                case SHA256 -> part.checksumSHA256();
                case SHA512 -> part.checksumSHA512();
                case XXHASH64 -> part.checksumXXHASH64();
                case XXHASH3 -> part.checksumXXHASH3();
                case XXHASH128 -> part.checksumXXHASH128();
            };
        }

        CompletedPart.Builder put(CompletedPart.Builder part, String value) {
            return switch (this) {
                case CRC32 -> part.checksumCRC32(value);
                case CRC32C -> part.checksumCRC32C(value);
                case CRC64NVME -> part.checksumCRC64NVME(value);
                case SHA1 -> part.checksumSHA1(value);
                case SHA256 -> part.checksumSHA256(value);
                case SHA512 -> part.checksumSHA512(value);
                case XXHASH64 -> part.checksumXXHASH64(value);
                case XXHASH3 -> part.checksumXXHASH3(value);
                case XXHASH128 -> part.checksumXXHASH128(value);
            };
        }
    }

    private final Store store;
    private final S3Client s3;

    ChecksumIT(Store store) {
        this.store = store;
        this.s3 = store.s3();
    }

    private HeadObjectResponse head(String bucket) {
        return s3.headObject(
                head -> head.bucket(bucket).key("key").checksumMode(ChecksumMode.ENABLED));
    }

    @Test
    void knownAnswers() {
        byte[] digits = "123456789".getBytes(java.nio.charset.StandardCharsets.US_ASCII);
        assertThat(Family.crc64nvme(digits)).isEqualTo(0xAE8B14860A799888L);
        assertThat(Family.CRC32C.of(digits)).isEqualTo("4waSgw==");
    }

    @ParameterizedTest
    @EnumSource
    void computedByTheClientInATrailerIsKept(Family family) {
        String bucket = store.bucket();
        byte[] body = Bytes.random(family.ordinal(), 200_000);
        s3.putObject(
                put -> put.bucket(bucket).key("key").checksumAlgorithm(family.algorithm()),
                RequestBody.fromBytes(body));
        HeadObjectResponse head = head(bucket);
        assertThat(family.in(head)).isEqualTo(family.of(body));
        assertThat(head.checksumType()).isEqualTo(ChecksumType.FULL_OBJECT);
        // With the mode on, the SDK checks the bytes that it reads against the checksum.
        assertThat(
                        s3.getObjectAsBytes(
                                        get ->
                                                get.bucket(bucket)
                                                        .key("key")
                                                        .checksumMode(ChecksumMode.ENABLED))
                                .asByteArray())
                .isEqualTo(body);
        assertThat(family.in(s3.headObject(plain -> plain.bucket(bucket).key("key"))))
                .as("only when asked for")
                .isNull();
    }

    @ParameterizedTest
    @EnumSource
    void givenInAHeaderIsCheckedBeforeAnythingIsStored(Family family) {
        String bucket = store.bucket();
        byte[] body = Bytes.random(40 + family.ordinal(), 5_000);
        String wrong = family.of(new byte[] {1});
        refused(400, "BadDigest", () -> putWithHeader(bucket, family, body, wrong));
        refused(404, "NoSuchKey", () -> store.get(bucket, "key"));
        putWithHeader(bucket, family, body, family.of(body));
        assertThat(family.in(head(bucket))).isEqualTo(family.of(body));
    }

    private void putWithHeader(String bucket, Family family, byte[] body, String value) {
        s3.putObject(
                put -> {
                    put.bucket(bucket).key("key");
                    switch (family) {
                        case CRC32 -> put.checksumCRC32(value);
                        case CRC32C -> put.checksumCRC32C(value);
                        case CRC64NVME -> put.checksumCRC64NVME(value);
                        case SHA1 -> put.checksumSHA1(value);
                        case SHA256 -> put.checksumSHA256(value);
                        case SHA512 -> put.checksumSHA512(value);
                        case XXHASH64 -> put.checksumXXHASH64(value);
                        case XXHASH3 -> put.checksumXXHASH3(value);
                        case XXHASH128 -> put.checksumXXHASH128(value);
                    }
                },
                RequestBody.fromBytes(body));
    }

    private List<byte[]> upload(String bucket, Family family, ChecksumType type) {
        List<byte[]> bodies =
                List.of(Bytes.random(71, 5 << 20), Bytes.random(72, 5 << 20), Bytes.random(73, 9));
        String upload =
                s3.createMultipartUpload(
                                create ->
                                        create.bucket(bucket)
                                                .key("key")
                                                .checksumAlgorithm(family.algorithm())
                                                .checksumType(type))
                        .uploadId();
        List<CompletedPart> parts = new ArrayList<>();
        for (int i = 0; i < bodies.size(); i++) {
            int number = i + 1;
            UploadPartResponse part =
                    s3.uploadPart(
                            put ->
                                    put.bucket(bucket)
                                            .key("key")
                                            .uploadId(upload)
                                            .partNumber(number)
                                            .checksumAlgorithm(family.algorithm()),
                            RequestBody.fromBytes(bodies.get(i)));
            assertThat(family.in(part)).isEqualTo(family.of(bodies.get(i)));
            CompletedPart.Builder completed =
                    CompletedPart.builder().partNumber(number).eTag(part.eTag());
            parts.add(family.put(completed, family.in(part)).build());
        }
        s3.completeMultipartUpload(
                complete ->
                        complete.bucket(bucket)
                                .key("key")
                                .uploadId(upload)
                                .checksumType(type)
                                .multipartUpload(with -> with.parts(parts)));
        return bodies;
    }

    @ParameterizedTest
    @EnumSource(value = Family.class, mode = EnumSource.Mode.EXCLUDE, names = "CRC64NVME")
    void ofAMultipartObjectIsMadeOfItsPartsChecksums(Family family) {
        String bucket = store.bucket();
        List<byte[]> bodies = upload(bucket, family, ChecksumType.COMPOSITE);
        ByteArrayOutputStream values = new ByteArrayOutputStream();
        for (byte[] body : bodies) {
            values.writeBytes(Base64.getDecoder().decode(family.of(body)));
        }
        HeadObjectResponse head = head(bucket);
        assertThat(family.in(head)).isEqualTo(family.of(values.toByteArray()) + "-3");
        assertThat(head.checksumType()).isEqualTo(ChecksumType.COMPOSITE);
    }

    @ParameterizedTest
    @EnumSource(
            value = Family.class,
            names = {"CRC32", "CRC32C", "CRC64NVME"})
    void ofAMultipartObjectCanBeThatOfAllItsBytes(Family family) {
        String bucket = store.bucket();
        List<byte[]> bodies = upload(bucket, family, ChecksumType.FULL_OBJECT);
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        bodies.forEach(all::writeBytes);
        HeadObjectResponse head = head(bucket);
        assertThat(family.in(head)).isEqualTo(family.of(all.toByteArray()));
        assertThat(head.checksumType()).isEqualTo(ChecksumType.FULL_OBJECT);
    }
}
