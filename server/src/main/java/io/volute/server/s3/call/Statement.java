package io.volute.server.s3.call;

import io.volute.provenance.format.Bytes;
import io.volute.provenance.format.Hash;
import io.volute.provenance.record.Attestation;
import io.volute.provenance.record.SignatureAlgorithm;
import io.volute.provenance.record.SignerId;
import io.volute.server.s3.error.S3Exception;
import java.util.Base64;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * The header with a principal's own signature under what it does (docs/format/provenance.md,
 * "Signing as a client"):
 *
 * <pre>
 * x-volute-signature: algorithm=ed25519,key=HEX,time=MILLISECONDS,nonce=HEX,signature=BASE64
 * </pre>
 */
final class Statement {
    static final String HEADER = "x-volute-signature";

    private static final Pattern FORM =
            Pattern.compile(
                    "algorithm=(ed25519|ml-dsa-65),key=[0-9a-f]{64},time=[0-9]{1,15},"
                            + "nonce=[0-9a-f]{32},signature=[A-Za-z0-9+/]{1,5000}={0,2}");

    private Statement() {}

    /**
     * @throws S3Exception InvalidArgument when it has not that form
     */
    static Attestation parse(String header) {
        if (!FORM.matcher(header).matches()) {
            throw malformed();
        }
        Map<String, String> fields = new HashMap<>();
        for (String field : header.split(",", -1)) {
            int sign = field.indexOf('=');
            fields.put(field.substring(0, sign), field.substring(sign + 1));
        }
        SignatureAlgorithm algorithm =
                fields.get("algorithm").equals("ed25519")
                        ? SignatureAlgorithm.ED25519
                        : SignatureAlgorithm.ML_DSA_65;
        try {
            return new Attestation(
                    Attestation.By.CLIENT,
                    new SignerId(algorithm, Hash.ofHex(fields.get("key"))),
                    Long.parseLong(fields.get("time")),
                    Bytes.of(HexFormat.of().parseHex(fields.get("nonce"))),
                    Bytes.of(Base64.getDecoder().decode(fields.get("signature"))));
        } catch (IllegalArgumentException e) {
            throw malformed();
        }
    }

    private static S3Exception malformed() {
        return S3Exception.invalidArgument(
                HEADER,
                "",
                "algorithm=ed25519|ml-dsa-65,key=HEX,time=MILLISECONDS,nonce=HEX,signature=BASE64"
                        + " is its form.");
    }
}
