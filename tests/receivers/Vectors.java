// Prints what docs/receivers/Receiver.java says of each line on stdin: now, secrets, headers and body, apart by tabs, in base64;
// each header a line "name: value".
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Scanner;

public final class Vectors {
  private static byte[] decoded(String field) {
    return Base64.getDecoder().decode(field);
  }

  private static String text(String field) {
    return new String(decoded(field), StandardCharsets.UTF_8);
  }

  public static void main(String[] args) throws Exception {
    Scanner lines = new Scanner(System.in, StandardCharsets.US_ASCII);
    while (lines.hasNextLine()) {
      String[] fields = lines.nextLine().split("\t", -1);
      List<String> secrets = Receiver.secretsIn(text(fields[1]));
      Map<String, String> headers = new HashMap<>();
      for (String header : text(fields[2]).split("\n")) {
        int colon = header.indexOf(": ");
        headers.put(header.substring(0, colon), header.substring(colon + 2));
      }
      System.out.println(Receiver.verify(headers, decoded(fields[3]), secrets, Long.parseLong(text(fields[0]))));
    }
  }
}
