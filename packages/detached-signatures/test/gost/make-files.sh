#!/bin/sh
# Makes GOST certificates and signatures with OpenSSL and its GOST engine (Debian: libengine-gost-openssl) in the present folder.
# The files beside this script were made by it: cd files && ../make-files.sh
set -eu

printf 'Заявка на кредит: договор № 1' > document
printf 'another document' > other
cat > request.cnf <<'END'
oid_section = names
[names]
innle = 1.2.643.100.4
[req]
distinguished_name = subject
prompt = no
string_mask = utf8only
utf8 = yes
[subject]
CN = Иванова Анна
O = ООО «Ромашка»
innle = 7707083893
INN = 500100732259
[signer]
basicConstraints = critical, CA:FALSE
keyUsage = digitalSignature, nonRepudiation
authorityKeyIdentifier = keyid
[authority]
basicConstraints = critical, CA:TRUE
keyUsage = critical, keyCertSign, cRLSign
subjectKeyIdentifier = hash
[constraint-only]
basicConstraints = critical, CA:TRUE
keyUsage = digitalSignature
[usage-only]
basicConstraints = critical, CA:FALSE
keyUsage = keyCertSign
[time]
basicConstraints = critical, CA:FALSE
extendedKeyUsage = critical, timeStamping
[tsa]
serial = serial
default_policy = 1.2.3.4
digests = sha256, sha512
signer_digest = sha256
[ca]
default_ca = revocation
[revocation]
database = index
crl_extensions = list
[list]
authorityKeyIdentifier = keyid
[encipherment]
basicConstraints = critical, CA:FALSE
keyUsage = keyEncipherment
END

authority() { # name, key options
  name=$1; shift
  openssl req -engine gost -x509 -config request.cnf -extensions authority -subj "/CN=$name" -days 8500 -nodes \
    -keyout "$name.key" -out "$name.pem" "$@"
}
signer() { # name, authority, extensions, key options
  name=$1 by=$2 extensions=$3; shift 3
  openssl req -engine gost -new -config request.cnf -nodes -keyout "$name.key" -out "$name.csr" "$@"
  openssl x509 -engine gost -req -in "$name.csr" -CA "$by.pem" -CAkey "$by.key" -extfile request.cnf -extensions "$extensions" \
    -set_serial "0x$(openssl rand -hex 8)" -days 8400 -out "$name.pem"
}
sign() { # file, signer, digest, options
  file=$1 by=$2 digest=$3; shift 3
  openssl cms -engine gost -sign -binary -in document -signer "$by.pem" -inkey "$by.key" -md "$digest" -outform DER -out "$file" "$@"
}

authority rsa-authority -newkey rsa:2048
authority gost-authority -newkey gost2012_256 -pkeyopt paramset:TCA
authority gost-authority-512 -newkey gost2012_512 -pkeyopt paramset:A
for set in A B C XA XB TCA TCB TCC TCD; do
  signer "256-$set" gost-authority signer -newkey gost2012_256 -pkeyopt "paramset:$set"
  sign "256-$set.der" "256-$set" md_gost12_256
done
for set in A B C; do
  signer "512-$set" gost-authority-512 signer -newkey gost2012_512 -pkeyopt "paramset:$set"
  sign "512-$set.der" "512-$set" md_gost12_512
done
for one in '256-TCA md_gost12_256' '512-A md_gost12_512'; do
  sign "${one% *}-without-attributes.der" $one -noattr
  sign "${one% *}-cades.der" $one -cades
done

sign attached.der 256-TCA md_gost12_256 -nodetach
sign without-certificate.der 256-TCA md_gost12_256 -nocerts
openssl cms -engine gost -sign -binary -in other -signer 256-TCA.pem -inkey 256-TCA.key -md md_gost12_256 -outform DER -out other.der
openssl cms -engine gost -sign -binary -in document -signer 256-TCA.pem -inkey 256-TCA.key -md md_gost12_256 -outform PEM -out armoured.pem
openssl base64 -in 256-TCA.der -out base64.txt

authority stranger -newkey gost2012_256 -pkeyopt paramset:TCA
signer of-stranger stranger signer -newkey gost2012_256 -pkeyopt paramset:TCA
sign of-stranger.der of-stranger md_gost12_256
authority rsa-stranger -newkey rsa:2048
signer rsa-sha1 rsa-stranger signer -newkey rsa:2048
sign rsa-sha1.der rsa-sha1 sha1
# Issuers that are no authorities, by one extension or the other, and a signer who may not sign.
for kind in constraint-only usage-only; do
  signer "$kind" gost-authority "$kind" -subj "/CN=$kind" -newkey gost2012_256 -pkeyopt paramset:TCA
  signer "of-$kind" "$kind" signer -newkey gost2012_256 -pkeyopt paramset:TCA
  sign "of-$kind.der" "of-$kind" md_gost12_256 -certfile "$kind.pem"
done
signer encipherment gost-authority encipherment -newkey gost2012_256 -pkeyopt paramset:TCA
sign encipherment.der encipherment md_gost12_256
signer gost-between gost-authority authority -subj /CN=between -newkey gost2012_512 -pkeyopt paramset:C
signer of-between gost-between signer -newkey gost2012_256 -pkeyopt paramset:TCB
sign of-between.der of-between md_gost12_256 -certfile gost-between.pem

# A time stamp of the value of a signature, which is at its end.
signer time rsa-authority time -newkey rsa:2048
echo 01 > serial
tail -c 64 256-TCA.der > value
openssl ts -query -data value -sha256 -cert -out query
openssl ts -reply -queryfile query -config request.cnf -section tsa -signer time.pem -inkey time.key -token_out -out time.token
# Another, by a certificate that had expired.
authority late-authority -newkey rsa:2048
openssl x509 -req -in time.csr -CA late-authority.pem -CAkey late-authority.key -extfile request.cnf -extensions time \
  -set_serial 7 -days -1 -out late.pem
openssl ts -reply -queryfile query -config request.cnf -section tsa -signer late.pem -inkey time.key -token_out -out late.token

# Lists of revoked certificates, which name that of 256-TCB.
printf 'R\t490101000000Z\t261101000000Z\t%s\tunknown\t/CN=x\n' "$(openssl x509 -in 256-TCB.pem -noout -serial | cut -d= -f2)" > index
list() { # file, authority, options
  file=$1 by=$2; shift 2
  openssl ca -engine gost -gencrl -config request.cnf -cert "$by.pem" -keyfile "$by.key" -md "$MD" -out "$file" "$@"
}
MD=md_gost12_256 list current.crl gost-authority -crldays 8000
MD=md_gost12_256 list expired.crl gost-authority -crlhours 1
MD=sha256 list rsa.crl rsa-authority -crldays 8000

for name in *.csr; do rm -f "${name%.csr}.pem" "$name"; done
rm -f ./*.key late.pem request.cnf stranger.pem rsa-stranger.pem serial* value query index*
